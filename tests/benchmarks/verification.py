"""Verifies all architectures at length, and measures how fast and how sharp verification is.

    python tests/benchmarks/verification.py [--output results] [-a ARCHITECTURE]... [-j JOBS]

For each architecture, and each value of a parameter that lists its values:

* all operands of all moduli of 8 bits;
* a whole exponentiation of 512 bits;
* 200 faults in a core whose words are all used, and how many of them verification finds;
* clocks a second at 1024 bits, compiled and in Amaranth's simulator, and the time to compile.

What an architecture refuses is left out and said. The numbers go to ``verification.jsonl`` and
``verification.md`` in the output folder, where those of architectures that are not asked for are
kept. It takes about ten minutes a core on two processors, and needs a C++ compiler.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import itertools
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from explore.demand import Demand
from explore.simulation import (
    AmaranthEngine,
    CompiledEngine,
    random_vectors,
    simulate,
    verify_exponentiation,
)
from explore.simulation.compiler import find_compiler
from explore.simulation.exhaustive import verify_exhaustive
from explore.simulation.mutation import verify_mutants
from explore.store import Store
from explore.sweep import default_jobs
from explore.tools import packaged
from montgomery import Parameters, architectures

_MUTANTS, _VECTORS = 200, 24


def _variants(name: str) -> Iterator[dict]:
    cls = architectures()[name]
    lists = {field.name: field.metadata["choices"] for field in dataclasses.fields(cls)
             if field.metadata["choices"] is not None}
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def _small(cls: type[Parameters], variant: dict) -> Parameters:
    """Return a core of few and narrow words."""
    for width, word_width in ((14, 4), (14, 8), (8, 8), (8, 16)):
        narrow = {field.name: 4 for field in dataclasses.fields(cls) if field.name == "pe_width"}
        try:
            return cls(width=width, word_width=word_width, **narrow, **variant)
        except ValueError:
            continue
    return cls(width=8, **variant)


def _speed(params: Parameters, library: Path) -> dict:
    few, many = random_vectors(params, 1, 0), random_vectors(params, 100, 0)
    slow = simulate(params, few, engine=AmaranthEngine(params))
    fast = simulate(params, many, engine=CompiledEngine(library))
    rates = [result.clocks / result.seconds for result in (slow, fast)]
    return {"clocks_a_second_amaranth": round(rates[0]), "clocks_a_second": round(rates[1]),
            "ratio": round(rates[1] / rates[0])}


def _examine(name: str, variant: dict, store: Store, jobs: int) -> Iterator[dict]:
    cls = architectures()[name]
    compiler = find_compiler()
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)

        def library(params: Parameters) -> Path:
            return Demand(store, params, folder).library(compiler)

        eight = cls(width=8, **variant)
        begin = time.monotonic()
        report = verify_exhaustive(eight, library=library(eight), jobs=jobs)
        yield {"check": "exhaustive", **_plain(report), "seconds": round(time.monotonic() - begin)}

        middle = cls(width=512, **variant)
        yield {"check": "exponentiation",
               **_plain(verify_exponentiation(middle, engine=CompiledEngine(library(middle))))}

        (folder / "mutants").mkdir()
        yield {"check": "mutants", **verify_mutants(
            _small(cls, variant), _MUTANTS, vectors=_VECTORS, compiler=compiler,
            folder=folder / "mutants")}

        large = cls(width=1024, **variant)
        begin = time.monotonic()
        path = library(large)
        yield {"check": "speed", "arch": name, "width": 1024, "params": dataclasses.asdict(large),
               "ok": True, "seconds_compile": round(time.monotonic() - begin, 1),
               **_speed(large, path)}


def _versions() -> dict[str, str]:
    compiler = find_compiler()
    return {"montgomery": importlib.metadata.version("montgomery"),
            "amaranth": importlib.metadata.version("amaranth"),
            "yosys": packaged("yosys").version, "compiler": compiler.version,
            "python": platform.python_version(), "processors": str(os.cpu_count())}


def _kept(path: Path, names: list[str]) -> list[dict]:
    """Return the rows in a file that are of other architectures."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [row for row in map(json.loads, lines) if row["arch"] not in names]


def _plain(report: dict) -> dict:
    return {name: value for name, value in report.items() if value is not None}


def _line(row: dict) -> str:
    shape = " ".join(f"{key}={value}" for key, value in row["params"].items())
    what = {
        "exhaustive": lambda: f"{row['vectors']:,} multiplications in {row['seconds']} s",
        "exponentiation": lambda: f"{row['vectors']:,} multiplications, {row['clocks']:,} clocks",
        "mutants": lambda: (f"{row['score']:.1%}: {row['killed']} of {row['mutants']} killed, "
                            f"{row['missed']} missed, {row['equivalent']} proved equivalent, "
                            f"{row['undetected']} undetected"),
        "speed": lambda: (f"{row['clocks_a_second']:,} clocks a second, {row['ratio']} times "
                          f"Amaranth's simulator; compiled in {row['seconds_compile']} s"),
    }[row["check"]] if row["ok"] else lambda: row.get("message", "fails")
    return f"| {row['arch']} | {shape} | {row['check']} | {what()} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", action="append", help="architecture; all of them by default")
    parser.add_argument("-j", type=int, default=default_jobs(), help="processes")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    names = options.a or list(architectures())
    versions = _versions()
    path = options.output / "verification.jsonl"
    rows = _kept(path, names)
    with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
        for name in names:
            for variant in _variants(name):
                try:
                    for row in _examine(name, variant, store, options.j):
                        rows.append(row | {"versions": versions})
                        print(_line(row), flush=True)
                except ValueError as error:
                    print(f"{name} {variant}: {error}", file=sys.stderr)
    rows.sort(key=lambda row: row["arch"])  # stable: the checks of a core stay together
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = ["| core | parameters | check | outcome |", "|---|---|---|---|", *map(_line, rows)]
    path.with_suffix(".md").write_text("\n".join(table) + "\n")
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
