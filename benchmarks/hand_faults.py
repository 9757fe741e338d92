"""Puts faults of the kinds that people make into the sources, and counts which are found.

    python benchmarks/hand_faults.py [-a CORE]... [--fault NAME]... [-j N] [--store PATH]
        [--output results]

Each file in ``benchmarks/hand_faults/`` lists faults: the cores that have them, the file, the text
to replace and its replacement. The program applies one fault at a time, in a copy of the sources,
and simulates the core in all runs of the verification of a sweep, which are made once for each
core: at 64 bits, unless the list gives a width at which the core has what is faulty.
If the list names an FPGA, ``montgomery sweep`` verifies the core with its cells. A fault is

* ``found`` if that verification fails;
* ``missed`` if only a longer one fails, by ``montgomery verify``: up to 5,000 random operations, or
  one of full length;
* ``silent`` if neither fails. The list must then say why the fault has no effect.

A core without a fault must pass. Outcomes go to ``hand_faults.jsonl`` in the output folder, in
place of those of the same fault before, and the score of each core to ``hand_faults.md``. The exit
status is 1 if a fault was missed, is silent without a reason, or leaves nothing that can be
verified. A fault takes 4 to 30 seconds of processor time, and some minutes if the verification of a
sweep does not find it. A C++ compiler is needed. A store keeps what is known of each fault.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from explore.data.rows import update
from explore.pipeline.on_demand import core_library
from explore.pipeline.places import default_jobs
from explore.pipeline.stage import hash_of
from explore.pipeline.stages.stimuli import SEED, VECTORS
from explore.points.expand import expand
from explore.simulation import CompiledEngine, Mismatch
from explore.simulation.judge import Clash, run_all
from explore.simulation.verify import plan_of
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator
from montgomery import CoreParameters
from montgomery.core import traits

_ROOT = Path(__file__).resolve().parent.parent
_LISTS = _ROOT / "benchmarks" / "hand_faults"
_PACKAGES = ("montgomery", "boards", "explore")
_PROGRAM = (sys.executable, "-c", "from explore.cli import cli; cli()")
_WIDTH = 64
#: Where no other is named: it has what any core needs.
_TARGET = "ecp5-85k"
#: Random operations of the longer verification, and about how many clocks they may take.
_MANY, _CLOCKS = 5000, 2_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault of one core.

    Attributes
    ----------
    core : str
        Name among those of all kinds.
    params : tuple of str
        Parameters as ``-p`` takes them.
    name : str
        What is wrong.
    file : str
        Path from the folder of the project.
    old, new : str
        A text that the file has once, and what takes its place.
    silent : str
        Why the fault has no effect; empty if it has one.
    width : int
        Bits of the core.
    target : str
        Name of the FPGA whose cells are faulty; empty for a core with any cells.
    """

    core: str
    name: str
    file: str
    old: str
    new: str
    width: int = _WIDTH
    params: tuple[str, ...] = ()
    silent: str = ""
    target: str = ""

    def apply(self, folder: Path) -> None:
        """Replace the text in a copy of the sources."""
        path = folder / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            raise SystemExit(f"The text of fault {self.name!r} must be in {self.file} once, not "
                             f"{text.count(self.old)} times; correct it in {_LISTS}")
        path.write_text(text.replace(self.old, self.new))

    @property
    def chosen(self) -> list[str]:
        """The options that name the core."""
        return ["-a", self.core, "-n", str(self.width), *(f"-p{text}" for text in self.params)]

    @property
    def parameters(self) -> CoreParameters:
        """The parameters of the core."""
        point, = expand([self.core], [self.width], {name: [value] for name, value in
                        (text.split("=", 1) for text in self.params)}, [_TARGET], {})
        return point.parameters()

    @property
    def longer(self) -> list[list[str]]:
        """The arguments of the verifications that take longer than that of a sweep."""
        cycles = self.parameters.cycles
        many = min(_MANY, _CLOCKS // (cycles.load + cycles.compute))
        return [["--vectors", str(many), "--seed", "1"], ["--method", "full"]]


def faults() -> Iterator[Fault]:
    """Yield each fault of each core."""
    for path in sorted(_LISTS.glob("*.toml")):
        for given in tomllib.loads(path.read_text())["faults"]:
            cores = given.pop("cores")
            params = tuple(given.pop("params", ()))
            yield from (Fault(core=core, params=params, **given) for core in cores)


class _Copy:
    """A copy of the sources, whose commands verify a core; a context manager that removes it."""

    def __init__(self, fault: Fault, folder: Path, store: Path, *, faulty: bool) -> None:
        self._fault, self._store = fault, store
        self._sources = Path(tempfile.mkdtemp(dir=folder))
        for name in _PACKAGES:
            shutil.copytree(_ROOT / name, self._sources / name)
        if faulty:
            fault.apply(self._sources)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        shutil.rmtree(self._sources)

    def message(self) -> str:
        """Return what the verification of a sweep finds; empty if it finds nothing."""
        fault, target = self._fault, self._fault.target
        if not target:
            ended = self._run([sys.executable, __file__, "--runs", self._sources.parent,
                               "-a", fault.core, "--width", fault.width,
                               *(f"-p{text}" for text in fault.params)])
            if ended.returncode:
                raise self._impossible(ended.stderr)
            return ended.stdout
        row, = self._answer("sweep", "-t", target, "--seeds", "1", "--until",
                            "verify_cells")["rows"]
        if row["status"] not in ("partial", "unverified"):
            raise self._impossible(row["log"])
        return row["log"] if row["status"] == "unverified" else ""

    def later_message(self) -> str:
        """Return what longer verifications find; empty if they find nothing."""
        reports = (self._answer("verify", *more) for more in self._fault.longer)
        return next((report["message"] for report in reports if not report["ok"]), "")

    def _answer(self, command: str, *more: str) -> dict:
        ended = self._run([*_PROGRAM, command, *self._fault.chosen, *more, "--json"])
        if not ended.stdout:
            raise self._impossible(ended.stderr)
        return json.loads(ended.stdout)

    def _run(self, command: Sequence[object]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, command), "--store", str(self._store)], cwd=self._sources,
            capture_output=True, text=True,
            env=os.environ | {"PYTHONPATH": str(self._sources)})

    def _impossible(self, message: str) -> SystemExit:
        return SystemExit(f"With fault {self._fault.name!r}, {self._fault.core} cannot be "
                          f"verified; correct it in {_LISTS}:\n{message}")


def _found(params: CoreParameters, folder: Path, store: Path) -> str:
    """Simulate a core, and return what is wrong in the first run that shows it, or nothing.

    The first one of its parameters and clocks leaves the runs in the folder. It has no fault, or
    one that makes clocks of the formula others.
    """
    path = folder / hash_of([repr(params), repr(params.cycles), repr(traits(params))])
    try:
        runs = path.read_bytes() if path.exists() else plan_of(
            params, vectors=VECTORS, seed=SEED, thorough=True)
    except Mismatch as error:
        return error.message
    path.write_bytes(runs)
    with Store(store) as opened, tempfile.TemporaryDirectory() as unpacked:
        engine = CompiledEngine(core_library(opened, params, Path(unpacked), find_compiler(),
                                             verilator=find_verilator()))
        try:
            run_all(runs, engine, {})
        except Mismatch as error:
            return error.message
        except Clash as error:
            what = "" if error.found is None else (
                f": {error.found} in place of {error.expected} clocks")
            return f"Operation {error.index} of a run gave other words or clocks{what}"
    return ""


def _outcome(fault: Fault, folder: Path, store: Path) -> dict:
    """Return what verification says of a fault."""
    with _Copy(fault, folder, store, faulty=True) as copy:
        fate, message = "found", copy.message()
        if not message:
            message = copy.later_message()
            fate = "missed" if message else "silent"
    return {"core": fault.core, "width": fault.width, "params": list(fault.params),
            "target": fault.target, "fault": fault.name, "file": fault.file, "fate": fate,
            "message": message[:300], "reason": fault.silent}


def _check_core(fault: Fault, folder: Path, store: Path) -> None:
    """Refuse a core that fails without a fault."""
    with _Copy(fault, folder, store, faulty=False) as copy:
        if message := copy.message():
            raise SystemExit(f"{fault.core} fails without a fault; correct it first: {message}")


def _scores(rows: Sequence[dict]) -> str:
    """Return the score of each core as a table."""
    lines = ["| core | faults | found | missed | silent | score |", "|---|---|---|---|---|---|"]
    for core in sorted({row["core"] for row in rows}):
        fates = [row["fate"] for row in rows if row["core"] == core]
        counts = [fates.count(fate) for fate in ("found", "missed", "silent")]
        telling = counts[0] + counts[1]
        score = f"{counts[0] / telling:.0%}" if telling else "-"
        lines.append(f"| {core} | {len(fates)} | " + " | ".join(map(str, counts))
                     + f" | {score} |")
    rest = [row for row in rows if row["fate"] != "found"]
    lines += [""] if rest else []
    lines += [f"- {row['core']}: {row['fault']} ({row['fate']}). {row['reason'] or row['message']}"
              for row in rest]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", action="append", help="core; all of them by default")
    parser.add_argument("--fault", action="append", help="name of a fault; all of them by default")
    parser.add_argument("-j", type=int, default=default_jobs(), help="faults at a time")
    parser.add_argument("--store", type=Path, help="folder of what is known; by default none stays")
    parser.add_argument("--output", type=Path, help="folder; by default nothing is written")
    # A copy of the sources simulates its core in these runs.
    parser.add_argument("--runs", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--width", type=int, default=_WIDTH, help=argparse.SUPPRESS)
    parser.add_argument("-p", action="append", default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.runs:
        copy = Fault(core=options.a[0], name="", file="", old="", new="", width=options.width,
                     params=tuple(options.p))
        print(_found(copy.parameters, options.runs, options.store), end="")
        return 0
    wanted = [fault for fault in faults()
              if (not options.a or fault.core in options.a)
              and (not options.fault or fault.name in options.fault)]
    cores = {(fault.core, fault.width, fault.params, fault.target): fault for fault in wanted}
    failed = False
    with (tempfile.TemporaryDirectory() as name,
          concurrent.futures.ThreadPoolExecutor(options.j) as pool):
        folder = Path(name)
        store = options.store.resolve() if options.store else folder / "store"
        list(pool.map(lambda fault: _check_core(fault, folder, store), cores.values()))
        for outcome in [pool.submit(_outcome, fault, folder, store) for fault in wanted]:
            try:
                row = outcome.result()
            except SystemExit as error:
                print(error, file=sys.stderr, flush=True)
                failed = True
                continue
            failed |= row["fate"] == "missed" or (row["fate"] == "silent" and not row["reason"])
            print(f"{row['fate']:7} {row['core']}: {row['fault']}", flush=True)
            if options.output:
                rows = update(options.output / "hand_faults.jsonl", ("core", "fault"), [row])
                (options.output / "hand_faults.md").write_text(_scores(rows))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
