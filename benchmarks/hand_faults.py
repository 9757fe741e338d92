"""Puts faults of the kinds that people make into the sources, and counts which are found.

    python benchmarks/hand_faults.py [-a CORE]... [--fault NAME]... [-j N] [--output results]

Each file in ``benchmarks/hand_faults/`` lists faults: the cores that have them, the file, the text
to replace and its replacement. The program applies one fault at a time, in a copy of the sources,
and verifies the core as a sweep does: at 64 bits, unless the list gives a width at which the core
has what is faulty, and with the cells of an FPGA if the list names one. A fault is

* ``found`` if that verification fails;
* ``missed`` if only a longer one fails: up to 5,000 random operations, or one of full length;
* ``silent`` if neither fails. The list must then say why the fault has no effect.

A core without a fault must pass. The outcome of each fault goes to ``hand_faults.jsonl`` in the
output folder when it is known, where those of other cores are kept, and the score of each core to
``hand_faults.md``. The exit status is 1 if a fault was missed, is silent without a reason, or
leaves nothing that can be verified. A fault takes 4 to 12 seconds of processor time, and some
minutes if the verification of a sweep does not find it. A C++ compiler is needed.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from explore.pipeline.places import default_jobs

_ROOT = Path(__file__).resolve().parent.parent
_LISTS = _ROOT / "benchmarks" / "hand_faults"
_PACKAGES = ("montgomery", "boards", "explore")
_VERIFIER = _ROOT / "benchmarks" / "hand_fault.py"
_WIDTH = 64


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


def faults() -> Iterator[Fault]:
    """Yield each fault of each core."""
    for path in sorted(_LISTS.glob("*.toml")):
        for given in tomllib.loads(path.read_text())["faults"]:
            cores = given.pop("cores")
            params = tuple(given.pop("params", ()))
            yield from (Fault(core=core, params=params, **given) for core in cores)


def _copy(folder: Path) -> Path:
    """Return a folder with the sources, and what Python has compiled of them."""
    copied = Path(tempfile.mkdtemp(dir=folder))
    for name in _PACKAGES:
        shutil.copytree(_ROOT / name, copied / name)
    return copied


def _verified(fault: Fault, sources: Path, *, longer: bool = True) -> dict:
    """Return what verification of a copy of the sources says.

    Raises
    ------
    SystemExit
        If there is nothing to verify: a fault must leave a core that can be made.
    """
    given = {"core": fault.core, "width": fault.width, "params": fault.params,
             "target": fault.target, "longer": longer}
    done = subprocess.run([sys.executable, str(_VERIFIER), json.dumps(given)], cwd=sources,
                          capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": str(sources)})
    if done.returncode:
        raise SystemExit(f"With fault {fault.name!r}, {fault.core} cannot be verified; correct it "
                         f"in {_LISTS}:\n{done.stderr}")
    return json.loads(done.stdout)


def _fate(fault: Fault, folder: Path) -> dict:
    """Return what verification says of a fault."""
    sources = _copy(folder)
    try:
        fault.apply(sources)
        report = _verified(fault, sources)
    finally:
        shutil.rmtree(sources)
    return {"core": fault.core, "width": fault.width, "params": list(fault.params),
            "target": fault.target, "fault": fault.name, "file": fault.file, "fate": report["fate"],
            "message": report["message"][:300], "reason": fault.silent}


def _check_cores(folder: Path, wanted: Sequence[Fault], pool: concurrent.futures.Executor) -> None:
    """Refuse a core that fails without a fault."""
    sources = _copy(folder)
    cores = {(fault.core, fault.width, fault.params, fault.target): fault for fault in wanted}
    reports = pool.map(functools.partial(_verified, sources=sources, longer=False), cores.values())
    for fault, report in zip(cores.values(), reports, strict=True):
        if report["fate"] == "found":
            raise SystemExit(f"{fault.core} fails without a fault; correct it first: "
                             f"{report['message']}")


class _Outcomes:
    """The outcomes in a folder, or in none."""

    def __init__(self, folder: Path | None) -> None:
        self._path = folder and folder / "hand_faults.jsonl"
        self._rows: dict[tuple[str, str], dict] = {}
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        known = {(fault.core, fault.name): fault for fault in faults()}
        before = self._path.read_text().splitlines() if self._path.exists() else []
        for row in map(json.loads, before):
            key = row["core"], row["fault"]
            fault = known.get(key)
            if fault and (row["width"], row["params"]) == (fault.width, list(fault.params)):
                self._rows[key] = row | {"reason": fault.silent}

    def add(self, row: dict) -> None:
        """Write the outcome of a fault in place of the one before."""
        self._rows[row["core"], row["fault"]] = row
        if self._path is not None:
            rows = [self._rows[key] for key in sorted(self._rows)]
            self._path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            self._path.with_suffix(".md").write_text(_scores(rows))


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
    parser.add_argument("--output", type=Path, help="folder; by default nothing is written")
    options = parser.parse_args()
    wanted = [fault for fault in faults()
              if (not options.a or fault.core in options.a)
              and (not options.fault or fault.name in options.fault)]
    rows, broken, outcomes = [], 0, _Outcomes(options.output)
    with (tempfile.TemporaryDirectory() as name,
          concurrent.futures.ThreadPoolExecutor(options.j) as pool):
        folder = Path(name)
        _check_cores(folder, wanted, pool)
        for fate in [pool.submit(_fate, fault, folder) for fault in wanted]:
            try:
                row = fate.result()
            except SystemExit as error:
                print(error, file=sys.stderr, flush=True)
                broken += 1
                continue
            rows.append(row)
            outcomes.add(row)
            print(f"{row['fate']:7} {row['core']}: {row['fault']}", flush=True)
    return int(broken > 0 or any(
        row["fate"] == "missed" or (row["fate"] == "silent" and not row["reason"])
        for row in rows))


if __name__ == "__main__":
    sys.exit(main())
