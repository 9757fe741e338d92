"""Puts faults of the kinds that people make into the sources, and counts which are found.

    python benchmarks/hand_faults.py [-a CORE]... [--fault NAME]... [-j N] [--output results]

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
sweep does not find it. A C++ compiler is needed. The store that MONTGOMERY_STORE names keeps what
is known of each fault.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
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

from explore.data.rows import update
from explore.pipeline.executor import default_jobs
from explore.pipeline.on_demand import core_library
from explore.pipeline.stage import hash_of
from explore.pipeline.stages.stimuli import SEED, VECTORS
from explore.points.expand import expand
from explore.simulation import CompiledEngine, Mismatch
from explore.simulation.judge import Clash, run_all
from explore.simulation.verify import plan_of
from explore.store import Store
from explore.store.folder import default_path
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator
from montgomery import CoreParameters
from montgomery.core import traits

_ROOT = Path(__file__).resolve().parent.parent
_LISTS = _ROOT / "benchmarks" / "hand_faults"
_PACKAGES = ("montgomery", "boards", "explore")
#: Random operations of the longer verification, and about how many clocks they may take.
_MANY, _CLOCKS = 5000, 2_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault of one core: the text that ``file`` has once, and what takes its place."""

    core: str
    name: str
    file: str
    old: str
    new: str
    width: int = 64
    #: Parameters as ``-p`` takes them.
    params: tuple[str, ...] = ()
    #: Why the fault has no effect; empty if it has one.
    silent: str = ""
    #: Name of the FPGA whose cells are faulty; empty for a core with any cells.
    target: str = ""

    @property
    def chosen(self) -> list[str]:
        """The options that name the core."""
        return ["-a", self.core, "-n", str(self.width), *(f"-p{text}" for text in self.params)]


def _faults(cores: Sequence[str], names: Sequence[str]) -> list[Fault]:
    """Return those of some cores and names; all of them if none is given."""
    found = [Fault(core=core, params=tuple(given.get("params", ())), **{
                 name: value for name, value in given.items() if name not in ("cores", "params")})
             for path in sorted(_LISTS.glob("*.toml"))
             for given in tomllib.loads(path.read_text())["faults"] for core in given["cores"]]
    return [fault for fault in found
            if (not cores or fault.core in cores) and (not names or fault.name in names)]


def _parameters(core: str, width: int, params: Sequence[str]) -> CoreParameters:
    point, = expand([core], [width], {name: [value] for name, value in
                    (text.split("=", 1) for text in params)}, ["ecp5-85k"], {})
    return point.parameters()


@contextlib.contextmanager
def _sources(folder: Path, fault: Fault) -> Iterator[Path]:
    """Put a fault into a copy of the sources, which stays for a while."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        for package in _PACKAGES:
            shutil.copytree(_ROOT / package, Path(name, package))
        path = Path(name, fault.file)
        path.write_text(path.read_text().replace(fault.old, fault.new))
        yield Path(name)


def _run(sources: Path, fault: Fault, *command: object) -> str:
    """Run a command on a copy of the sources, and return what it prints."""
    ended = subprocess.run([sys.executable, *map(str, command)], cwd=sources, text=True,
                           capture_output=True, env=os.environ | {"PYTHONPATH": str(sources)})
    # A verification that finds something has the status 1, and an answer.
    if ended.returncode and not ended.stdout:
        raise ValueError(f"With fault {fault.name!r}, {fault.core} cannot be verified; correct it "
                         f"in {_LISTS}:\n{ended.stderr}")
    return ended.stdout


def _message(sources: Path, fault: Fault) -> str:
    """Return what the verification of a sweep finds; empty if it finds nothing."""
    if not fault.target:
        return _run(sources, fault, __file__, *fault.chosen, "--runs", sources.parent)
    row, = json.loads(_run(sources, fault, "-m", "explore.cli", "sweep", *fault.chosen, "-t",
                           fault.target, "--seeds", "1", "--until", "verify_cells",
                           "--json"))["rows"]
    if row["status"] not in ("partial", "unverified"):
        raise ValueError(row["log"])
    return row["log"] if row["status"] == "unverified" else ""


def _later_message(sources: Path, fault: Fault) -> str:
    """Return what longer verifications find; empty if they find nothing."""
    cycles = _parameters(fault.core, fault.width, fault.params).cycles
    many = min(_MANY, _CLOCKS // (cycles.load + cycles.compute))
    for more in (["--vectors", many, "--seed", 1], ["--method", "full"]):
        report = json.loads(_run(sources, fault, "-m", "explore.cli", "verify", *fault.chosen,
                                 *more, "--json"))
        if not report["ok"]:
            return report["message"]
    return ""


def _found(params: CoreParameters, folder: Path) -> str:
    """Simulate a core, and return what is wrong in the first run that shows it, or nothing.

    The first one of its parameters and clocks leaves the runs in the folder. It has no fault, or
    one that makes clocks of the formula others.
    """
    path = folder / hash_of([repr(params), repr(params.cycles), repr(traits(params))])
    try:
        runs = path.read_bytes() if path.exists() else plan_of(
            params, vectors=VECTORS, seed=SEED, thorough=True)
        path.write_bytes(runs)
        with Store(default_path()) as store, tempfile.TemporaryDirectory() as unpacked:
            run_all(runs, CompiledEngine(core_library(
                store, params, Path(unpacked), find_compiler(), verilator=find_verilator())), {})
    except Mismatch as error:
        return error.message
    except Clash as error:
        what = "" if error.found is None else (
            f": {error.found} in place of {error.expected} clocks")
        return f"Operation {error.index} of a run gave other words or clocks{what}"
    return ""


def _outcome(fault: Fault, folder: Path) -> dict:
    """Return what verification says of a fault."""
    with _sources(folder, fault) as sources:
        fate, message = "found", _message(sources, fault)
        if not message:
            message = _later_message(sources, fault)
            fate = "missed" if message else "silent"
    return {"core": fault.core, "width": fault.width, "params": list(fault.params),
            "target": fault.target, "fault": fault.name, "file": fault.file, "fate": fate,
            "message": message[:300], "reason": fault.silent}


def _check_core(fault: Fault, folder: Path) -> None:
    """Refuse a core that fails without a fault."""
    with _sources(folder, dataclasses.replace(fault, new=fault.old)) as sources:
        if message := _message(sources, fault):
            raise SystemExit(f"{fault.core} fails without a fault; correct it first: {message}")


def _scores(rows: Sequence[dict]) -> str:
    """Return the score of each core as a table."""
    lines = ["| core | faults | found | missed | silent | score |", "|---|---|---|---|---|---|"]
    for core in sorted({row["core"] for row in rows}):
        fates = [row["fate"] for row in rows if row["core"] == core]
        found, missed, silent = map(fates.count, ("found", "missed", "silent"))
        score = f"{found / (found + missed):.0%}" if found + missed else "-"
        lines.append(f"| {core} | {len(fates)} | {found} | {missed} | {silent} | {score} |")
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
    parser.add_argument("--output", type=Path, help="folder; by default nothing is written")
    # A copy of the sources simulates its core in these runs.
    for flag, kind in (("--runs", Path), ("-n", int)):
        parser.add_argument(flag, type=kind, help=argparse.SUPPRESS)
    parser.add_argument("-p", action="append", default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.runs:
        print(_found(_parameters(options.a[0], options.n, options.p), options.runs), end="")
        return 0
    wanted = _faults(options.a or (), options.fault or ())
    cores = {(fault.core, fault.width, fault.params, fault.target): fault for fault in wanted}
    failed = False
    with (tempfile.TemporaryDirectory() as name,
          concurrent.futures.ThreadPoolExecutor(options.j) as pool):
        folder = Path(name)
        os.environ["MONTGOMERY_STORE"] = str(
            Path(os.environ.get("MONTGOMERY_STORE", folder / "store")).resolve())
        list(pool.map(lambda fault: _check_core(fault, folder), cores.values()))
        for outcome in [pool.submit(_outcome, fault, folder) for fault in wanted]:
            try:
                row = outcome.result()
            except ValueError as error:
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
