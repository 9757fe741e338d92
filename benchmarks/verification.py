"""Verifies all architectures at length, and measures how fast and how sharp verification is.

    python benchmarks/verification.py [--output results] [-a ARCHITECTURE]... [-c CHECK]...

For each architecture, and each value of a parameter that lists its values:

* ``exhaustive``: all operands of all moduli of 8 bits;
* ``exponentiation``: a whole one of 512 bits;
* ``mutants``: 200 faults in a core whose words are all used, and how many verification finds;
* ``speed``: clocks per second at 1024 bits in Verilator, CXXRTL and Amaranth's simulator; and the
  time to build each, from an empty store, and with the runtime of Verilator in it;
* ``rsa-crt-speed``: the same for RSA with CRT of 2048 bits, without Amaranth's simulator.

Two-dimensional arrays have 64 bits instead of 512 and 1024. What an architecture refuses, or does
not have, is left out and said. The numbers go to ``verification.jsonl`` and ``verification.md`` in
the output folder, where those of architectures and checks that are not asked for are kept. It takes
about ten minutes a core on two processors, and needs a C++ compiler.
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

from explore.pipeline.executor import default_jobs
from explore.pipeline.mutation import verify_mutants
from explore.pipeline.on_demand import Demand, SingleStages
from explore.pipeline.stage import Job
from explore.pipeline.stages import stages
from explore.simulation import (
    AmaranthEngine,
    CompiledEngine,
    random_vectors,
    simulate,
    verify_exponentiation,
)
from explore.simulation.choice import ENGINES, predicted_clocks
from explore.simulation.exhaustive import verify_exhaustive
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.find import packaged
from explore.tools.toolbox import Toolbox
from explore.tools.verilator import find_verilator
from montgomery import CoreParameters, Parameters, architectures, rsa_crt

_CHECKS = ("exhaustive", "exponentiation", "mutants", "speed", "rsa-crt-speed")
#: Clocks that a compiled simulator runs, roughly, for its speed.
_CLOCKS = 3_000_000
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


class _Examination:
    """The checks of one variant of an architecture."""

    def __init__(self, name: str, variant: dict, store: Store, folder: Path, jobs: int) -> None:
        self._cls, self._variant = architectures()[name], variant
        self._store, self._folder, self._jobs = store, folder, jobs

    def _library(self, params: Parameters) -> Path:
        return Demand(self._store, params, self._folder).library(
            find_compiler(), verilator=find_verilator())

    def _limited(self, width: int) -> int:
        """Return ``width``, or 64 if the core grows with its square."""
        words = any(field.name == "word_width" for field in dataclasses.fields(self._cls))
        return width if words else 64

    def exhaustive(self) -> dict:
        params = self._cls(width=8, **self._variant)
        library = self._library(params)
        begin = time.monotonic()
        report = verify_exhaustive(params, library=library, jobs=self._jobs)
        return _plain(report.to_json()) | {"seconds": round(time.monotonic() - begin)}

    def exponentiation(self) -> dict:
        params = self._cls(width=self._limited(512), **self._variant)
        engine = CompiledEngine(self._library(params))
        return _plain(verify_exponentiation(params, engine=engine).to_json())

    def mutants(self) -> dict:
        folder = self._folder / "mutants"
        folder.mkdir()
        return verify_mutants(_small(self._cls, self._variant), _MUTANTS, vectors=_VECTORS,
                              compiler=find_compiler(), folder=folder,
                              toolbox=Toolbox(self._store)).to_json()

    def speed(self) -> dict:
        params = self._cls(width=self._limited(1024), **self._variant)
        row = self._speeds(params)
        slow = simulate(params, random_vectors(params, 3, 0), engine=AmaranthEngine(params))
        row["clocks_a_second"]["amaranth"] = round(slow.clocks / slow.seconds)
        return row

    def rsa_crt_speed(self) -> dict:
        cls = rsa_crt().get(self._cls.name())
        if cls is None or self._variant != next(_variants(self._cls.name())):
            raise ValueError("no core for RSA with CRT, or not of its own")
        return self._speeds(cls(width=2048))

    def _speeds(self, params: CoreParameters) -> dict:
        """Return the clocks per second in compiled simulators, and the seconds to build them."""
        clocks, built, warm = {}, {}, {}
        for engine in ENGINES:
            if engine == "verilator" and find_verilator() is None:
                continue
            library, built[engine] = self._built(params, engine, runtime=False)
            if engine == "verilator":
                library, warm[engine] = self._built(params, engine, runtime=True)
            # Long enough that other work on the machine takes its share.
            count = max(_CLOCKS // predicted_clocks(params, 1), 1)
            result = simulate(params, random_vectors(params, count, 0),
                              engine=CompiledEngine(library))
            clocks[engine] = round(result.clocks / result.seconds)
        return {"arch": params.name(), "kind": params.kind, "width": params.width,
                "params": dataclasses.asdict(params), "ok": True, "clocks_a_second": clocks,
                "seconds_from_nothing": built, "seconds_with_runtime": warm}

    def _built(self, params: CoreParameters, engine: str, *,
               runtime: bool) -> tuple[Path, float]:
        """Build a simulator in an empty store, or one that has the runtime alone."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        compiler, verilator = find_compiler(), find_verilator()
        with Store(folder / "store") as store:
            if runtime:
                with SingleStages(store, compiler, verilator=verilator) as computed:
                    computed.obtain(stages()["runtime"], Job(params=params))
            begin = time.monotonic()
            library = Demand(store, params, folder).library(compiler, verilator=verilator,
                                                            engine=engine)
            return library, round(time.monotonic() - begin, 1)


def _versions() -> dict[str, str | None]:
    compiler, verilator = find_compiler(), find_verilator()
    return {"montgomery": importlib.metadata.version("montgomery"),
            "amaranth": importlib.metadata.version("amaranth"),
            "yosys": packaged("yosys").version,
            "verilator": verilator and verilator.version, "compiler": compiler.version,
            "python": platform.python_version(), "processors": str(os.cpu_count())}


def _kept(path: Path, names: list[str], checks: list[str]) -> list[dict]:
    """Return the rows in a file that are of other architectures or checks."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [row for row in map(json.loads, lines)
            if row["arch"] not in names or row["check"] not in checks]


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
        "speed": lambda: _speeds(row), "rsa-crt-speed": lambda: _speeds(row),
    }[row["check"]] if row["ok"] else lambda: row.get("message", "fails")
    return f"| {row['arch']} | {shape} | {row['check']} | {what()} |"


def _speeds(row: dict) -> str:
    texts = []
    for engine, clocks in row["clocks_a_second"].items():
        text = f"{clocks:,} clocks per second in {engine}"
        if engine in row["seconds_from_nothing"]:
            text += f", built in {row['seconds_from_nothing'][engine]} s"
        if engine in row["seconds_with_runtime"]:
            text += f" ({row['seconds_with_runtime'][engine]} s with the runtime)"
        texts.append(text)
    return "; ".join(texts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", action="append", help="architecture; all of them by default")
    parser.add_argument("-c", action="append", choices=_CHECKS, help="check; all by default")
    parser.add_argument("-j", type=int, default=default_jobs(), help="processes")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    names, checks = options.a or list(architectures()), options.c or list(_CHECKS)
    versions = _versions()
    path = options.output / "verification.jsonl"
    rows = _kept(path, names, checks)
    for name, check in itertools.product(names, checks):
        for variant in _variants(name):
            with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "store")) as store:
                examination = _Examination(name, variant, store, Path(folder), options.j)
                try:
                    row = getattr(examination, check.replace("-", "_"))()
                except ValueError as error:
                    print(f"{name} {variant}: {error}", file=sys.stderr)
                    continue
                rows.append({"check": check, **row, "versions": versions})
                print(_line(rows[-1]), flush=True)
    rows.sort(key=lambda row: (row["arch"], _CHECKS.index(row["check"])))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = ["| core | parameters | check | outcome |", "|---|---|---|---|", *map(_line, rows)]
    path.with_suffix(".md").write_text("\n".join(table) + "\n")
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
