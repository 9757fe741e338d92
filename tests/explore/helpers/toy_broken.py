"""Toy cores with faults that only a thorough verification finds, or wrong cells on an ECP5.

Workers import it by its name, which they could not do with a module of tests.
"""

import dataclasses

from amaranth.hdl import ClockSignal, Instance, Module, Signal
from amaranth.lib import wiring
from toy import Particular, Toy

from montgomery import Signature
from montgomery.core import parameter
from montgomery.technology import technology_of

__all__ = ["Around", "Broken", "Made"]


class Around(wiring.Component):
    """A right core, and ``fault``: a function of the module, the core and its ports outside."""

    def __init__(self, core, word_width, fault):
        self._core, self._fault = core, fault
        super().__init__(Signature(word_width))

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        wiring.connect(m, wiring.flipped(self.i), core.i)
        wiring.connect(m, core.o, wiring.flipped(self.o))
        self._fault(m, core, self)  # what is assigned later counts
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


_MULTIPLIER = {
    **{f"i_{bus}{bit}": 0 for bus in "BC" for bit in range(18)}, "i_B0": 1,
    **{f"i_{name}": 0 for name in ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "RST0")}, "i_CE0": 1}


class _Made(Around):
    """A core whose results go through a multiplier by 1 on an ECP5, without a register or with."""

    def __init__(self, core, word_width, registered):
        self._registered = registered
        super().__init__(core, word_width, _nothing)

    def elaborate(self, platform):
        m, result, word = super().elaborate(platform), self._core.o.payload, Signal(36)
        if technology_of(platform).name != "ecp5":
            return m
        m.submodules += Instance(
            "MULT18X18D", i_CLK0=ClockSignal(), p_GSR="DISABLED",
            **{f"p_REG_{name}_CLK": "NONE" for name in ("INPUTA", "INPUTB", "PIPELINE")},
            p_REG_OUTPUT_CLK="CLK0" if self._registered else "NONE", **_MULTIPLIER,
            **{f"i_A{bit}": result[bit] if bit < len(result) else 0 for bit in range(18)},
            **{f"o_P{bit}": word[bit] for bit in range(36)})
        m.d.comb += self.o.payload.eq(word)
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Made(Particular):
    """One with a cell that a wrong one has a register in."""

    cell: str = parameter("right", "the multiplier of an ECP5", choices=("right", "wrong"))

    def create(self):
        return _Made(super().create(), self.word_width, self.cell == "wrong")
