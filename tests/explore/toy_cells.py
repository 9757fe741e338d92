"""A toy core that holds other cells on an ECP5, which may be wrong.

Workers import it by its name, which they could not do with a module of tests.
"""

import dataclasses

from amaranth.hdl import ClockSignal, Instance, Module, Signal
from toy import Particular
from toy_broken import Around

from montgomery.core import parameter
from montgomery.technology import technology_of

__all__ = ["Made"]

_MULTIPLIER = {
    **{f"i_{bus}{bit}": 0 for bus in "BC" for bit in range(18)}, "i_B0": 1,
    **{f"i_{name}": 0 for name in ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "RST0")}, "i_CE0": 1}


class _Made(Around):
    """A core whose results go through a multiplier by 1 on an ECP5, without a register or with."""

    def __init__(self, core, word_width, registered):
        self._registered = registered
        super().__init__(core, word_width, lambda m, core, ports: None)

    def elaborate(self, platform):
        if technology_of(platform).name != "ecp5":
            return super().elaborate(platform)
        m = Module()
        m.submodules.core = core = self._core
        word = Signal(36)
        width = len(core.o.payload)
        m.submodules += Instance(
            "MULT18X18D", i_CLK0=ClockSignal(), p_GSR="DISABLED",
            **{f"p_REG_{name}_CLK": "NONE" for name in ("INPUTA", "INPUTB", "PIPELINE")},
            p_REG_OUTPUT_CLK="CLK0" if self._registered else "NONE", **_MULTIPLIER,
            **{f"i_A{bit}": core.o.payload[bit] if bit < width else 0 for bit in range(18)},
            **{f"o_P{bit}": word[bit] for bit in range(36)})
        m.d.comb += [
            core.i.payload.eq(self.i.payload), core.i.valid.eq(self.i.valid),
            self.i.ready.eq(core.i.ready), self.o.payload.eq(word),
            self.o.valid.eq(core.o.valid), core.o.ready.eq(self.o.ready)]
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Made(Particular):
    """One with a cell that a wrong one has a register in."""

    cell: str = parameter("right", "the multiplier of an ECP5", choices=("right", "wrong"))

    def create(self):
        return _Made(super().create(), self.word_width, self.cell == "wrong")
