"""A core on a board, or in a simulated one, against its integer model."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Callable
from typing import Any

from boards.host import Client
from montgomery.core import cycles_of, input_names, kind_of, name_of

from ..data.columns import blank_row
from ..data.rows import sealed
from ..simulation.kinds import edge_vectors, random_vectors

__all__ = ["hardware_row", "identity_of", "self_test"]


def self_test(board: Client, count: int, *, seed: int = 0,
              progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Compare operations on a board with the model, and their clocks with the formula.

    The first of ``count`` operations are edge cases, the others random ones. The report has ``ok``,
    ``arch``, ``kind``, ``width``, ``params``, ``board``, ``simulated``, ``clock_hz``, ``vectors``,
    ``seed``, ``cycles_compute`` (of the slowest) and, where it failed, ``message``.
    :exc:`boards.host.BoardError` is raised if the board does not answer.
    """
    info = board.info
    core = info.parameters
    edges = edge_vectors(core)[:count]
    vectors = edges + random_vectors(core, count - len(edges), seed)
    params = dataclasses.asdict(core)
    del params["width"]
    report: dict[str, Any] = {
        "ok": True, "arch": name_of(core), "kind": kind_of(core).name,
        "width": core.width, "params": params,
        "board": info.board, "simulated": info.simulated, "clock_hz": info.clock_hz,
        "vectors": len(vectors), "seed": seed, "cycles_compute": 0}
    for index, vector in enumerate(vectors):
        # By the words of the core itself, whose clocks the formula gives.
        result, model = board.operate(*vector, parameters=core), core.compute(*vector)
        formula = cycles_of(core, *vector).compute
        report["cycles_compute"] = max(report["cycles_compute"], result.clocks)
        if index == 0:
            # A core that begins before the last word has come may wait for words, as many clocks
            # in each operation.
            late = result.clocks - formula
        message = None
        if result.value != model:
            message = f"gives {result.value:#x}, the model {model:#x}"
        elif result.clocks - formula != late or not 0 <= late < core.width:
            message = f"takes {result.clocks} clocks, the formula says {formula}"
        if message:
            operands = ", ".join(f"{name} {value:#x}" for name, value in
                                 zip(input_names(core), vector, strict=True))
            return report | {"ok": False, "message": f"Operation {index + 1} of {len(vectors)} "
                                                     f"({operands}) {message}"}
        if progress is not None:
            progress(index + 1, len(vectors))
    return report


def hardware_row(report: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a self-test that a board passed.

    Its target is the board, its status is ``on_board``, and its frequency is that of the clock. Its
    latency is that of the slowest operation.
    """
    clock_mhz = report["clock_hz"] / 1e6
    return sealed(blank_row() | {
        **{name: report[name] for name in ("arch", "kind", "width", "params")},
        "target": report["board"] or "a board", "options": {}, "seed": 1, "status": "on_board",
        "fmax_usable_mhz": clock_mhz, "cycles_compute": report["cycles_compute"],
        "latency_us": report["cycles_compute"] / clock_mhz,
        "key": json.dumps([report["seed"], report["vectors"]]),
        "versions": {"montgomery": importlib.metadata.version("montgomery"),
                     "python": platform.python_version()},
        "host": platform.node(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")})


def identity_of(row: dict[str, Any]) -> str:
    """Return the name under which a store keeps the latest row of a core on a board."""
    what = [row[name] for name in ("kind", "arch", "width", "params", "target")]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:40]
