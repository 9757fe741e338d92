"""Verifies every core at length, and measures how fast and how sharp verification is.

    python benchmarks/verification.py [-a CORE]... [-c CHECK]... [--dry-run] [--output results]

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
said. Each outcome goes to ``verification.jsonl`` in the output folder when it is known, and all of
them to ``verification.md``. An outcome of which neither the core nor the verification has changed
is kept; ``--dry-run`` lists the others, and exits with 1 if there are any. Where the core has not
changed, proofs about its mutants are not tried again. All of it takes about
two hours on two processors, and needs a C++ compiler. Speeds need a machine without other work.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import itertools
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from verification_rows import CHECKS, Rows, key_of, line

from explore.pipeline.mutation import verify_mutants
from explore.pipeline.on_demand import SingleStages, core_library
from explore.pipeline.places import default_jobs
from explore.pipeline.stage import Job, hash_of
from explore.pipeline.stages import stages
from explore.pipeline.stages.elaborate import core_spec
from explore.simulation import (
    AmaranthEngine,
    CompiledEngine,
    random_vectors,
    simulate,
    verify_exponentiation,
)
from explore.simulation.choice import ENGINES, predicted_clocks
from explore.simulation.exhaustive import check_width, verify_exhaustive
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.find import packaged
from explore.tools.toolbox import Toolbox
from explore.tools.verilator import find_verilator
from montgomery import KINDS, CoreParameters, architectures
from montgomery.registry import cores

#: Clocks that a compiled simulator runs, roughly, for its speed.
_CLOCKS = 3_000_000
_MUTANTS, _VECTORS = 200, 24
#: The code that an outcome depends on, beside the core; and further code that a speed depends on.
_MODULES = ("explore.simulation", "explore.pipeline.mutation")
_SPEED_MODULES = ("explore.simulation.verilated", "explore.simulation.choice")


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Subject:
    """One variant of a core: parameters that list their values, and a multiplier inside."""

    name: str
    cls: type[CoreParameters]
    variant: dict

    def core(self, width: int, **more: int) -> CoreParameters:
        """Return the core, of 64 bits at most if it grows with the square of its width."""
        if not self._has("word_width") and self.cls.kind == "multiplier":
            width = min(width, 64)
        return self.cls(width=width, **more, **self.variant)

    def small(self, *widths: int) -> CoreParameters:
        """Return a core of few and narrow words, of the first of these widths that it can have."""
        narrow = {name: value for name, value in (
            ("pe_width", 4), ("digit_width", 4), ("rowers", 3), ("window", 2)) if self._has(name)}
        widest = {name: value for name, value in narrow.items() if name != "window"}
        words = [{"word_width": bits} for bits in (4, 5, 8, 16) if self._has("word_width")] or [{}]
        if not narrow and words == [{}]:
            widths = (self.cls.quick_width,)
        for width, word, others in itertools.product(widths, words, (narrow, widest)):
            try:
                return self.cls(width=width, **word | others | self.variant)
            except ValueError:
                continue
        raise ValueError(f"no core of {widths} bits has narrow words")

    def _has(self, name: str) -> bool:
        return any(field.name == name for field in dataclasses.fields(self.cls))

    @property
    def around_another(self) -> bool:
        """Whether it is an exponentiator around another multiplier than its default."""
        return "multiplier" in self.variant


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


class _DoesNotApply(Exception):
    """A check means nothing for a subject."""


class _Check:
    """One check of one subject.

    Raises
    ------
    _DoesNotApply
        If it means nothing for the subject.
    ValueError
        If the core refuses it.
    """

    def __init__(self, check: str, subject: _Subject) -> None:
        self.check, self._subject = check, subject
        self.params = getattr(self, f"_{check}_core")()

    @property
    def key(self) -> dict:
        """What tells its row from others."""
        return {"check": self.check, "core": self._subject.name,
                "params": dataclasses.asdict(self.params)}

    @property
    def recipe(self) -> str:
        """A hash of the core and of the code that verifies it."""
        modules = _MODULES + (_SPEED_MODULES if self.check == "speed" else ())
        return hash_of({**self.key, **core_spec(self.params, *modules)})

    def _exhaustive_core(self) -> CoreParameters:
        if self._subject.cls.kind != "multiplier":
            raise _DoesNotApply
        core = self._subject.small(8)
        check_width(core)
        return core

    def _full_core(self) -> CoreParameters:
        core = self._subject.core(128 if self._subject.around_another else 512)
        if not (core.longest_exponent or core.kind == "multiplier"):
            raise _DoesNotApply  # Each verification of a hash has the longest operations.
        return core

    def _mutants_core(self) -> CoreParameters:
        if self._subject.around_another:
            raise _DoesNotApply
        return self._subject.small(14, 20)

    def _speed_core(self) -> CoreParameters:
        if self._subject.around_another:
            raise _DoesNotApply
        return self._subject.core(2048 if self._subject.cls.kind == "rsa_crt" else 1024)

    def run(self, folder: Path, jobs: int, earlier: dict | None) -> dict:
        """Return the outcome; what an ``earlier`` one says of proofs is used."""
        self._earlier = earlier
        with Store(folder / "store") as store:
            return getattr(self, f"_{self.check}")(store, folder, jobs)

    def _library(self, store: Store, folder: Path, operations: int | None = None) -> Path:
        return core_library(store, self.params, folder, find_compiler(),
                            verilator=find_verilator(), operations=operations)

    def _exhaustive(self, store: Store, folder: Path, jobs: int) -> dict:
        library = self._library(store, folder, 8 ** self.params.width // 6)
        begin = time.monotonic()
        report = verify_exhaustive(self.params, library=library, jobs=jobs)
        return _plain(report.to_json()) | {"seconds": round(time.monotonic() - begin)}

    def _full(self, store: Store, folder: Path, jobs: int) -> dict:
        engine = CompiledEngine(self._library(store, folder))
        return _plain(verify_exponentiation(self.params, engine=engine).to_json())

    def _mutants(self, store: Store, folder: Path, jobs: int) -> dict:
        inside = folder / "mutants"
        inside.mkdir()
        return verify_mutants(self.params, _MUTANTS, vectors=_VECTORS, jobs=jobs,
                              compiler=find_compiler(), folder=inside,
                              toolbox=Toolbox(store), earlier=self._earlier).to_json()

    def _speed(self, store: Store, folder: Path, jobs: int) -> dict:
        row = self._speeds(folder)
        if self.params.kind == "multiplier":
            slow = simulate(self.params, random_vectors(self.params, 3, 0),
                            engine=AmaranthEngine(self.params))
            row["clocks_per_second"]["amaranth"] = round(slow.clocks / slow.seconds)
        return row

    def _speeds(self, folder: Path) -> dict:
        """Return the clocks per second in compiled simulators, and the seconds to build them."""
        clocks, built, warm = {}, {}, {}
        for engine in ENGINES:
            if engine == "verilator" and find_verilator() is None:
                continue
            library, built[engine] = self._built(folder, engine, runtime=False)
            if engine == "verilator":
                library, warm[engine] = self._built(folder, engine, runtime=True)
            # Long enough that other work on the machine takes its share.
            count = max(_CLOCKS // predicted_clocks(self.params, 1), 1)
            result = simulate(self.params, random_vectors(self.params, count, 0),
                              engine=CompiledEngine(library))
            clocks[engine] = round(result.clocks / result.seconds)
        return {"ok": True, "clocks_per_second": clocks, "seconds_from_nothing": built,
                "seconds_with_runtime": warm}

    def _built(self, folder: Path, engine: str, *, runtime: bool) -> tuple[Path, float]:
        """Build a simulator in an empty store, or one that has the runtime alone."""
        folder = Path(tempfile.mkdtemp(dir=folder))
        compiler, verilator = find_compiler(), find_verilator()
        with Store(folder / "store") as store:
            if runtime:
                with SingleStages(store, compiler, verilator=verilator) as computed:
                    computed.obtain(stages()["runtime"], Job(params=self.params))
            begin = time.monotonic()
            library = core_library(store, self.params, folder, compiler, verilator=verilator,
                                   engine=engine)
            return library, round(time.monotonic() - begin, 1)


def _checks(wanted: list[str] | None, checks: list[str]) -> Iterator[_Check]:
    for subject, check in itertools.product(list(_subjects(wanted)), checks):
        try:
            yield _Check(check, subject)
        except _DoesNotApply:
            continue
        except ValueError as error:
            print(f"{subject.name} {subject.variant}: no {check}: {error}", file=sys.stderr)


def _versions() -> dict[str, str | None]:
    compiler, verilator = find_compiler(), find_verilator()
    return {"montgomery": importlib.metadata.version("montgomery"),
            "amaranth": importlib.metadata.version("amaranth"),
            "yosys": packaged("yosys").version,
            "verilator": verilator and verilator.version, "compiler": compiler.version,
            "python": platform.python_version(), "processors": str(os.cpu_count())}


def _plain(report: dict) -> dict:
    return {name: value for name, value in report.items()
            if value is not None and name not in ("arch", "width")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", action="append", help="core; all of them by default")
    parser.add_argument("-c", action="append", choices=CHECKS, help="check; all by default")
    parser.add_argument("-j", type=int, default=default_jobs(), help="processes")
    parser.add_argument("--dry-run", action="store_true", help="list what is to be done")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    rows, wrong = Rows(options.output), False
    checks = list(_checks(options.a, options.c or list(CHECKS)))
    pending = [check for check in checks if not rows.stands(check.key, check.recipe)]
    if options.dry_run:
        for check in pending:
            print(f"{check.key['core']}: {check.check} of {check.params!r}")
        return int(bool(pending))
    if not options.a and not options.c:
        rows.keep({key_of(check.key) for check in checks})
    versions = _versions()
    for check in pending:
        with tempfile.TemporaryDirectory() as folder:
            row = check.run(Path(folder), options.j, rows.of(check.key))
        row = {**row, **check.key, "recipe": check.recipe, "versions": versions}
        rows.add(row)
        wrong |= not row["ok"]
        print(line(row), flush=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
