"""What a verification found out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from montgomery import CoreParameters

from .engine import Difference, Mismatch
from .vectors import Vector

__all__ = ["Fault", "Report", "Single", "Whole"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fault:
    """A mismatch, and how it shows again.

    Attributes
    ----------
    clock : int or None
        The clock of the simulation in which the operation began.
    alone : bool
        Whether the operation fails by itself.
    difference : Difference or None
        If the result is wrong.
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
    """An exponentiation of full length: the length of its exponent, and clocks of all of it."""

    exponent_bits: int
    clocks: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Single:
    """A single operation that was asked for: its result by the model, and in simulation.

    The simulation has none if the core breaks the rules of its streams.
    """

    model: int
    simulation: int | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Report:
    """What a verification of a core found out.

    Attributes
    ----------
    params : CoreParameters
    vectors : int
        Operations that were to run.
    seed : int
        Of operands and stalls.
    engine : str
        The simulator.
    ok : bool
        Whether the core does all that its model, its formula and its ports promise.
    cycles : dict from str to int, or None
        Clocks by name, as measured.
    constant_time : bool or None
        Whether they are the same for all operations of the same public lengths; None if there are
        no two of these.
    cycles_per_second : float or None
        Speed of the simulator, in clocks of the core.
    whole : Whole or None
    operation : tuple of int, or None
        The inputs of the operation that the report is about: of a single one, or of one that is
        wrong.
    single : Single or None
    message : str
        What is wrong; empty if nothing is.
    fault : Fault or None
        More of it.
    waveform : Path or None
        Of that operation.
    command : str
        What shows the fault again; empty if not known.
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

    def failed(self, mismatch: Mismatch, vector: Vector, *, alone: bool) -> Report:
        """Return the report with a mismatch in the operation of ``vector``."""
        return dataclasses.replace(
            self, ok=False, operation=vector, message=mismatch.message,
            fault=Fault(clock=mismatch.clock, alone=alone, difference=mismatch.difference),
            cycles={**(self.cycles or {}), **mismatch.cycles} or None)

    @property
    def operands(self) -> dict[str, int]:
        """The inputs of :attr:`operation` by name."""
        return dict(zip(self.params.inputs, self.operation or (), strict=bool(self.operation)))

    def to_json(self) -> dict[str, Any]:
        """Return the report fit for JSON; what it does not say is left out.

        Operands, constants and results are hexadecimal texts. Operands stand there one by one as
        well as together, but for one that has a name of the report's own.
        """
        core = self.params
        document: dict[str, Any] = {
            "ok": self.ok, "arch": core.name(), "kind": core.kind, "width": core.width,
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
            document |= {name: hex(value) for name, value in core.constants_of_core.items()}
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


#: Names of a report's own in JSON, which no operand may take.
_NAMES = {"arch", "kind", "width", "operands",
          *(field.name for part in (Report, Whole, Single, Fault, Difference)
            for field in dataclasses.fields(part))}
