"""A toy core with faults that only a thorough verification finds.

Workers import it by its name, which they could not do with a module of tests.
"""

import dataclasses

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from toy import Toy

from montgomery import Signature
from montgomery.core import parameter

__all__ = ["Around", "Broken"]


class Around(wiring.Component):
    """A right core, and ``fault``: a function of the module, the core and its ports outside."""

    def __init__(self, core, word_width, fault):
        self._core, self._fault = core, fault
        super().__init__(Signature(word_width))

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        m.d.comb += [
            core.i.payload.eq(self.i.payload), core.i.valid.eq(self.i.valid),
            self.i.ready.eq(core.i.ready),
            self.o.payload.eq(core.o.payload), self.o.valid.eq(core.o.valid),
            core.o.ready.eq(self.o.ready),
        ]
        self._fault(m, core, self)
        return m


def _nothing(m, core, ports):
    """No fault."""


def _be_slow_after_a_pause(m, core, ports):
    """Hold each first word back for a clock, once a word has waited for 16 clocks."""
    waited, slow, held = Signal(5), Signal(), Signal()
    with m.If(~core.o.valid | ports.o.ready):
        m.d.sync += waited.eq(0)
    with m.Else():
        m.d.sync += waited.eq(waited + ~waited.all())
    m.d.sync += [slow.eq(slow | waited[-1]), held.eq(core.o.valid)]
    late = slow & core.o.valid & ~held
    m.d.comb += [ports.o.valid.eq(core.o.valid & ~late), core.o.ready.eq(ports.o.ready & ~late)]


def _remember_a_word(m, core, ports):
    """Be wrong if a reset comes in the clock after the first word, and in no other."""
    came, survives = Signal(), Signal(reset_less=True)
    idle, fresh, wrong = Signal(init=1), Signal(init=1), Signal()
    takes = ports.i.valid & ports.i.ready
    m.d.sync += [came.eq(takes & idle), survives.eq(came), fresh.eq(0), idle.eq(idle & ~takes),
                 wrong.eq(wrong | (fresh & survives))]
    m.d.comb += ports.o.payload.eq(core.o.payload ^ wrong)


def _remember_a_standstill(m, core, ports):
    """Be wrong after a reset in which a word of a result had waited for 16 clocks."""
    waited, survives = Signal(5), Signal(reset_less=True)
    fresh, wrong = Signal(init=1), Signal()
    with m.If(~core.o.valid | ports.o.ready):
        m.d.sync += waited.eq(0)
    with m.Else():
        m.d.sync += waited.eq(waited + ~waited.all())
    m.d.sync += [survives.eq(waited[-1]), fresh.eq(0), wrong.eq(wrong | (fresh & survives))]
    m.d.comb += ports.o.payload.eq(core.o.payload ^ wrong)


def _wait_for_another_word(m, core, ports):
    """Keep the first word of the next operation, and a result until another word is there."""
    full, kept, waits = Signal(), Signal.like(ports.i.payload), Signal()
    m.d.comb += [core.i.valid.eq(full | ports.i.valid), ports.i.ready.eq(core.i.ready | ~full),
                 waits.eq(full & ~ports.i.valid & ~core.i.ready),
                 ports.o.valid.eq(core.o.valid & ~waits), core.o.ready.eq(ports.o.ready & ~waits)]
    with m.If(full):
        m.d.comb += core.i.payload.eq(kept)
    with m.If(ports.i.valid & ports.i.ready):
        m.d.sync += [kept.eq(ports.i.payload), full.eq(full | ~core.i.ready)]
    with m.Elif(core.i.ready):
        m.d.sync += full.eq(0)


_FAULTS = {"none": _nothing, "slow": _be_slow_after_a_pause, "reset": _remember_a_word,
           "standstill": _remember_a_standstill, "waits": _wait_for_another_word}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Broken(Toy):
    """A toy, and what is wrong with it."""

    fault: str = parameter("none", "what is wrong", choices=tuple(_FAULTS))

    def create(self):
        return Around(super().create(), self.word_width, _FAULTS[self.fault])
