"""The report of a verification."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from montgomery import CoreParameters
from montgomery.core import input_names, kind_of, name_of

from .engine import Difference
from .judge import Found
from .kinds import Vector, adapter

__all__ = ["Report"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Report:
    """The report of the verification of a core, with a number of operations that were to run.

    If it is ``ok``, the core agrees with its model, its formula and the rules of its ports.
    ``cycles`` are measured clock counts by name; ``constant_time`` is whether they are the same for
    all operations of the same public lengths, and None if no two operations have these.
    ``cycles_per_second`` is the speed of the simulator, in clocks of the core. An exponentiation of
    full length has the length of its exponent and the number of its ``clocks``.

    ``operation`` has the inputs of the single operation that was asked for, of which there are the
    results by the ``model`` and by ``simulation``, unless the core breaks the rules of its streams;
    or those of a wrong one. The ``message`` describes what is wrong, and is empty if nothing is. A
    mismatch may be seen if the operation runs ``alone``, which began in the ``clock`` of the
    simulation, if that is known; there is a ``difference`` if the result is wrong. ``waveform`` is
    that of the operation, and ``command`` shows the mismatch again, if one is known to.
    """

    params: CoreParameters
    vectors: int
    seed: int
    engine: str
    ok: bool = False
    cycles: Mapping[str, int] | None = None
    constant_time: bool | None = None
    cycles_per_second: float | None = None
    exponent_bits: int | None = None
    clocks: int | None = None
    operation: Vector | None = None
    model: int | None = None
    simulation: int | None = None
    message: str = ""
    clock: int | None = None
    alone: bool | None = None
    difference: Difference | None = None
    waveform: Path | None = None
    command: str = ""

    def with_found(self, found: Found) -> Report:
        """Return the report with what a run showed."""
        if not found.cycles:
            return self
        constant = self.constant_time if found.constant_time is None else found.constant_time
        return dataclasses.replace(self, cycles={**(self.cycles or {}), **found.cycles},
                                   constant_time=constant)

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
        if self.clocks is not None:
            document |= {"exponent_bits": self.exponent_bits, "clocks": self.clocks}
        if self.operation:
            texts = {name: hex(value) for name, value in self.operands.items()}
            document |= {name: text for name, text in texts.items() if name not in _NAMES}
            document["operands"] = texts
        if self.model is not None:
            document |= {name: hex(value) for name, value in adapter(core).constants().items()}
            document |= {"model": hex(self.model), "simulation": None if self.simulation is None
                         else hex(self.simulation)}
        if self.message:
            document["message"] = self.message
        if self.alone is not None:
            document |= {"clock": self.clock, "alone": self.alone}
        if found := self.difference:
            document |= {"expected": hex(found.expected), "found": hex(found.found),
                         "word": found.word}
        if self.waveform:
            document["waveform"] = str(self.waveform)
        if self.command:
            document["command"] = self.command
        return document


#: Names of the entries of a report in JSON, which no operand may use.
_NAMES = {"arch", "kind", "width", "operands", *(
    field.name for part in (Report, Difference) for field in dataclasses.fields(part))}
