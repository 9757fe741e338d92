"""Verifies every core at length, and measures how fast and how sharp verification is.

    python benchmarks/verification.py [-a CORE]... [-c CHECK]... [--dry-run] [--store PATH]
        [--output results]

Each core of each kind is examined with each value of its parameters that list their values:

* ``exhaustive``: all operands of all moduli of 8 bits, of multipliers whose operands are below
  twice the modulus;
* ``full``: a whole operation, with numbers of 512 bits, all of full length; an exponentiator around
  other multipliers has 128 bits;
* ``mutants``: 200 faults in a core whose words are all used, and how many of them the verification
  of a sweep finds;
* ``speed``: clocks per second at 1024 bits, and at 2048 bits for RSA with CRT, in Verilator and
  CXXRTL, and of multipliers in Amaranth's simulator; and the time to build each, from an empty
  store, and with the runtime of Verilator in it.

Two-dimensional arrays have 64 bits instead of 512 and 1024. What a core refuses is left out and
said. The first three are commands ``montgomery verify``, which ``--dry-run`` lists: the store has
what it knows of the same core and verification. Their answers go to ``verification.jsonl`` in the
output folder, in place of those of the same check before, and all of them to ``verification.md``.
From an empty store it takes about two hours on two processors; it needs a C++ compiler. Speeds need
a machine without other work. The exit status is 1 if a core fails.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import itertools
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from explore.data.rows import update
from explore.pipeline.on_demand import core_library
from explore.simulation import AmaranthEngine, CompiledEngine, random_vectors, simulate
from explore.simulation.choice import ENGINES, predicted_clocks
from explore.simulation.exhaustive import check_width
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.find import packaged
from explore.tools.verilator import find_verilator
from montgomery import KINDS, CoreParameters, architectures
from montgomery.core import about, kind_of
from montgomery.registry import cores

#: Arguments of each check that is a method of ``montgomery verify``.
_ARGUMENTS = {"exhaustive": [], "full": [], "mutants": ["--faults", "200", "--vectors", "24"]}
_CHECKS = (*_ARGUMENTS, "speed")
#: What tells a row from others.
_KEY = ("core", "check", "params")
_PROGRAM = (sys.executable, "-c", "from explore.cli import cli; cli()")
#: Clocks that a compiled simulator runs, roughly, for its speed.
_CLOCKS = 3_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Subject:
    """One variant of a core: parameters that list their values, and a multiplier inside."""

    name: str
    cls: type[CoreParameters]
    variant: dict

    def for_check(self, check: str) -> CoreParameters | None:
        """Return the core for a check; None if it means nothing for the variant.

        Raises
        ------
        ValueError
            If the core refuses it.
        """
        around_another = "multiplier" in self.variant
        if check == "exhaustive":
            if kind_of(self.cls).name != "multiplier":
                return None
            core = self._small(8)
            check_width(core)
            return core
        if check == "full":
            core = self._wide(128 if around_another else 512)
            # Each verification of a hash has the longest operations.
            return None if kind_of(core).name == "hash" else core
        if around_another:
            return None
        return (self._small(14, 20) if check == "mutants"
                else self._wide(2048 if kind_of(self.cls).name == "rsa_crt" else 1024))

    def _wide(self, width: int) -> CoreParameters:
        """Return the core, of 64 bits at most if it grows with the square of its width."""
        if "word_width" not in _names(self.cls) and kind_of(self.cls).name == "multiplier":
            width = min(width, 64)
        return self.cls(width=width, **self.variant)

    def _small(self, *widths: int) -> CoreParameters:
        """Return a core of few and narrow words, of the first of these widths that it can have."""
        names = _names(self.cls)
        narrow = {name: value for name, value in (
            ("pe_width", 4), ("digit_width", 4), ("rowers", 3), ("window", 2)) if name in names}
        widest = {name: value for name, value in narrow.items() if name != "window"}
        words = [{"word_width": bits} for bits in (4, 5, 8, 16) if "word_width" in names] or [{}]
        quick = about(self.cls).quick_width
        widths = (*widths, quick) if narrow or words != [{}] else (quick,)
        for width, word, others in itertools.product(widths, words, (narrow, widest)):
            try:
                return self.cls(width=width, **word | others | self.variant)
            except ValueError:
                continue
        raise ValueError(f"no core of {widths} bits has narrow words")


def _names(cls: type[CoreParameters]) -> list[str]:
    return [field.name for field in dataclasses.fields(cls)]


def _subjects(wanted: list[str] | None) -> Iterator[_Subject]:
    for kind in KINDS.values():
        for name, cls in cores(kind.name).items():
            full_name = kind.full_name(name)
            if wanted and full_name not in wanted:
                continue
            fields = {field.name: field for field in dataclasses.fields(cls)}
            lists = {name: field.metadata["choices"] for name, field in fields.items()
                     if field.metadata["choices"] is not None}
            for values in itertools.product(*lists.values()):
                yield _Subject(name=full_name, cls=cls,
                               variant=dict(zip(lists, values, strict=True)))
            for inner in architectures() if "multiplier" in fields else ():
                if inner != fields["multiplier"].default:
                    yield _Subject(name=full_name, cls=cls, variant={"multiplier": inner})


def _command(name: str, core: CoreParameters, check: str) -> list[str]:
    """Return the arguments of the program for a check."""
    values = dataclasses.asdict(core)
    return ["verify", "-a", name, "-n", str(values.pop("width")),
            *(f"-p{key}={value}" for key, value in values.items() if value != ""),
            "--method", check, *_ARGUMENTS[check]]


def _verified(command: list[str]) -> dict:
    ended = subprocess.run([*_PROGRAM, *command, "--json"], stdout=subprocess.PIPE, text=True)
    if not ended.stdout:
        raise SystemExit(f"montgomery {shlex.join(command)} failed")
    return {name: value for name, value in json.loads(ended.stdout).items()
            if value is not None and name not in ("arch", "width")}


def _speed(core: CoreParameters, folder: Path) -> dict:
    """Return the clocks per second in simulators, and the seconds to build the compiled ones."""
    clocks, built, warm = {}, {}, {}
    for engine in ENGINES if find_verilator() else ("cxxrtl",):
        with Store(folder / engine) as store:
            library = core_library(store, core, folder, find_compiler(),
                                   verilator=find_verilator(), engine=engine)
            took = {stage: sum(store.recent_seconds(stage))
                    for stage in ("elaborate", "runtime", "compile")}
        built[engine] = round(sum(took.values()), 1)
        if took["runtime"]:
            warm[engine] = round(built[engine] - took["runtime"], 1)
        # Long enough that other work on the machine takes its share.
        count = max(_CLOCKS // predicted_clocks(core, 1), 1)
        result = simulate(core, random_vectors(core, count, 0), engine=CompiledEngine(library))
        clocks[engine] = round(result.clocks / result.seconds)
    if kind_of(core).name == "multiplier":
        slow = simulate(core, random_vectors(core, 3, 0), engine=AmaranthEngine(core))
        clocks["amaranth"] = round(slow.clocks / slow.seconds)
    return {"ok": True, "params": dataclasses.asdict(core), "clocks_per_second": clocks,
            "seconds_from_nothing": built, "seconds_with_runtime": warm}


def _versions() -> dict[str, str | None]:
    compiler, verilator = find_compiler(), find_verilator()
    return {"montgomery": importlib.metadata.version("montgomery"),
            "amaranth": importlib.metadata.version("amaranth"),
            "yosys": packaged("yosys").version,
            "verilator": verilator and verilator.version, "compiler": compiler.version,
            "python": platform.python_version(), "processors": str(os.cpu_count())}


def _shape(row: dict) -> str:
    return " ".join(f"{key}={value}" for key, value in row["params"].items())


def _line(row: dict) -> str:
    """Return a row as a line of the table."""
    what = {
        "exhaustive": lambda: f"{row['vectors']:,} multiplications",
        "full": lambda: f"{row['vectors']:,} operations, {row['clocks']:,} clocks",
        "mutants": lambda: (f"{row['score']:.1%}: {row['killed']} of {row['mutants']} killed, "
                            f"{row['missed']} missed, {row['equivalent']} proved equivalent, "
                            f"{row['undetected']} undetected"),
        "speed": lambda: _speeds(row),
    }[row["check"]] if row["ok"] else lambda: row.get("message", "fails")
    return f"| {row['core']} | {_shape(row)} | {row['check']} | {what()} |"


def _speeds(row: dict) -> str:
    texts = []
    for engine, clocks in row["clocks_per_second"].items():
        built, warm = (row[name].get(engine) for name in ("seconds_from_nothing",
                                                          "seconds_with_runtime"))
        texts.append(f"{clocks:,} clocks per second in {engine}"
                     + (f", built in {built} s" if built else "")
                     + (f" ({warm} s with the runtime)" if warm else ""))
    return "; ".join(texts)


def _table(rows: list[dict]) -> str:
    table = ["| core | parameters | check | outcome |", "|---|---|---|---|", *map(_line, rows)]
    missed = [f"- {row['core']}, {_shape(row)}: {mutant}" for row in rows
              for mutant in row.get("survivors", {}).get("missed", ())]
    table += ["", "Mutants that the verification of a sweep does not find, and a longer one "
              "does:", "", *missed] if missed else []
    return "\n".join(table) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", action="append", help="core; all of them by default")
    parser.add_argument("-c", action="append", choices=_CHECKS, help="check; all by default")
    parser.add_argument("--dry-run", action="store_true", help="list what is to be done")
    parser.add_argument("--store", help="folder of what is known; as for montgomery verify")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    path, wrong = options.output / "verification.jsonl", False
    for subject, check in itertools.product(list(_subjects(options.a)), options.c or _CHECKS):
        try:
            core = subject.for_check(check)
        except ValueError as error:
            print(f"{subject.name} {subject.variant}: no {check}: {error}", file=sys.stderr)
            continue
        if core is None:
            continue
        command = [] if check == "speed" else _command(subject.name, core, check)
        if options.dry_run:
            print(f"montgomery {shlex.join(command)}" if command else f"speed of {core!r}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = (_verified([*command, *(["--store", options.store] if options.store else [])])
                     if command else _speed(core, Path(folder)))
        row = {**found, "check": check, "core": subject.name, "versions": _versions()}
        path.with_suffix(".md").write_text(_table(update(path, _KEY, [row])))
        wrong |= not row["ok"]
        print(_line(row), flush=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
