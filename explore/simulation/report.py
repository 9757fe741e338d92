"""The report of a verification."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from montgomery import CoreParameters
from montgomery.core import input_names, kind_of, name_of

from .engine import Difference, Mismatch
from .judge import Found
from .kinds import adapter
from .vectors import Vector

__all__ = ["Fault", "Report", "Single", "Whole"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fault:
    """A mismatch, and the way to see it again.

    The operation began in the ``clock`` of the simulation, if that is known, and may fail ``alone``
    as well. There is a ``difference`` if the result is wrong.
    """

    clock: int | None
    alone: bool
    difference: Difference | None = None

    def to_json(self) -> dict[str, Any]:
        found = self.difference
        return {"clock": self.clock, "alone": self.alone,
                **({"expected": hex(found.expected), "found": hex(found.found),
                    "word": found.word} if found else {})}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Whole:
    """An exponentiation of full length: the length of its exponent, and its clock count."""

    exponent_bits: int
    clocks: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Single:
    """The results of a single operation: from the model, and from simulation.

    The simulation has no result if the core breaks the rules of its streams.
    """

    model: int
    simulation: int | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Report:
    """The report of the verification of a core, with a number of operations that were to run.

    If it is ``ok``, the core agrees with its model, its formula and the rules of its ports.
    ``cycles`` are measured clock counts by name; ``constant_time`` is whether they are the same for
    all operations of the same public lengths, and None if no two operations have these.
    ``cycles_per_second`` is the speed of the simulator, in clocks of the core.

    ``operation`` has the inputs of the ``single`` operation that was asked for, or of a wrong one.
    The ``message`` describes what is wrong, and is empty if nothing is; the ``fault`` says more of
    a mismatch. ``waveform`` is that of the operation, and ``command`` shows the fault again, if one
    is known to.
    """

    params: CoreParameters
    vectors: int
    seed: int
    engine: str
    ok: bool = False
    cycles: Mapping[str, int] | None = None
    constant_time: bool | None = None
    cycles_per_second: float | None = None
    whole: Whole | None = None
    operation: Vector | None = None
    single: Single | None = None
    message: str = ""
    fault: Fault | None = None
    waveform: Path | None = None
    command: str = ""

    def with_found(self, found: Found) -> Report:
        """Return the report with what a run showed."""
        if not found.cycles:
            return self
        constant = self.constant_time if found.constant_time is None else found.constant_time
        return dataclasses.replace(self, cycles={**(self.cycles or {}), **found.cycles},
                                   constant_time=constant)

    def failed(self, mismatch: Mismatch, vector: Vector, *, alone: bool) -> Report:
        """Return the report with a mismatch in the operation of ``vector``."""
        return dataclasses.replace(
            self, ok=False, operation=vector, message=mismatch.message,
            fault=Fault(clock=mismatch.clock, alone=alone, difference=mismatch.difference),
            cycles={**(self.cycles or {}), **mismatch.cycles} or None)

    @property
    def operands(self) -> dict[str, int]:
        """The inputs of :attr:`operation` by name."""
        names = input_names(self.params)
        return dict(zip(names, self.operation or (), strict=bool(self.operation)))

    def to_json(self) -> dict[str, Any]:
        """Return the report for JSON; entries without a value are left out.

        Operands, constants and results are hexadecimal texts. Each operand has an entry of its own
        as well, unless the report uses its name otherwise.
        """
        core = self.params
        document: dict[str, Any] = {
            "ok": self.ok, "arch": name_of(core), "kind": kind_of(core).name, "width": core.width,
            "params": dataclasses.asdict(core), "vectors": self.vectors, "seed": self.seed,
            "engine": self.engine, "cycles": self.cycles and dict(self.cycles),
            "constant_time": self.constant_time, "cycles_per_second": self.cycles_per_second}
        if self.whole:
            document |= dataclasses.asdict(self.whole)
        if self.operation:
            texts = {name: hex(value) for name, value in self.operands.items()}
            document |= {name: text for name, text in texts.items() if name not in _NAMES}
            document["operands"] = texts
        if self.single:
            simulated = self.single.simulation
            document |= {name: hex(value) for name, value in adapter(core).constants().items()}
            document |= {"model": hex(self.single.model),
                         "simulation": None if simulated is None else hex(simulated)}
        if self.message:
            document["message"] = self.message
        if self.fault:
            document |= self.fault.to_json()
        if self.waveform:
            document["waveform"] = str(self.waveform)
        if self.command:
            document["command"] = self.command
        return document


#: Names of the entries of a report in JSON, which no operand may use.
_NAMES = {"arch", "kind", "width", "operands",
          *(field.name for part in (Report, Whole, Single, Fault, Difference)
            for field in dataclasses.fields(part))}
