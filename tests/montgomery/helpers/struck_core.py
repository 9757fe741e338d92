"""A core in which products go wrong at a clock that its operand says."""

import dataclasses

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from montgomery.wide.base_multiplication import Parameters as BaseMultiplier

#: Clocks in which products are wrong.
_STRUCK = 32


class _Products(wiring.Component):
    """A multiplier whose products have a wrong bit while it is struck."""

    def __init__(self, core, struck):
        self._core, self._struck, self.prime = core, struck, core.prime
        super().__init__(core.signature)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        for name in self.signature.members:
            if name != "result":
                one, other = (getattr(each, name) for each in (core, self))
                pairs = zip(one, other, strict=True) if isinstance(one, list) else [(one, other)]
                m.d.comb += [(b.eq(a) if name == "valid" else a.eq(b)) for a, b in pairs]
        m.d.comb += [mine.eq(its) for mine, its in zip(self.result, core.result, strict=True)]
        m.d.comb += self.result[5].eq(core.result[5] ^ (self._struck << 9))
        return m


class _Struck(wiring.Component):
    """A core that is struck as many clocks after its first word as that says."""

    def __init__(self, core):
        self._core, self._now = core, Signal(name="struck")
        core.core = _Products(core.core, self._now)
        super().__init__(core.signature)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = self._core
        wiring.connect(m, wiring.flipped(self.i), self._core.i)
        wiring.connect(m, self._core.o, wiring.flipped(self.o))
        left, length = Signal(16), Signal(range(_STRUCK + 1))
        waits, first = Signal(), Signal(init=1)
        m.d.comb += self._now.eq(length.any())
        m.d.sync += length.eq(length - length.any())
        with m.If(waits):
            m.d.sync += left.eq(left - 1)
            with m.If(left == 0):
                m.d.sync += [waits.eq(0), length.eq(_STRUCK)]
        with m.If(self.o.valid):
            m.d.sync += first.eq(1)
        with m.If(self.i.valid & self.i.ready & first):
            m.d.sync += [first.eq(0), left.eq(self.i.payload), waits.eq(1)]
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class StruckBase(BaseMultiplier):
    def create(self):
        return _Struck(super().create())
