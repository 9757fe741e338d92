"""The engine for scalar multiplication, in which two operations may be under way."""

from amaranth.hdl import Mux, Signal

from ..blocks.delay import later
from .point_engine import WidePointEngine
from .slots import TURNS

__all__ = ["PairedEngine"]


class PairedEngine(WidePointEngine):
    """Works on one operation, or on two that come in turns.

    Each of two is in the engine for two turns: one comes in and begins in the turn in which the
    other one ends and is sent. Another operation may come in between. If none does, the turn is the
    same without one.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation in a turn.

    Parameters
    ----------
    params, core, program : see :class:`~.point_engine.WidePointEngine`
        With two operations the program has a turn for each, of the labels :data:`~.slots.TURNS`,
        and its steps have a field ``slot``: the operation that is sent.
    digits : :class:`wiring.Component`
        With the port ``slot_in``, the operation whose words come in.
    slots : :class:`int`
        Operations under way, one or two.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params, core, program, digits, slots):
        super().__init__(params, core, program, digits)
        self._slots = slots
        self._entries = TURNS if slots > 1 else ()

    def _control(self, held, digits, begins):
        #: The operation that comes in, and those that are under way.
        self._slot, self._busy = Signal(name="slot"), Signal(2, name="busy")
        fetched, word, sequencer = super()._control(held, digits, begins)
        if self._slots > 1:
            self.m.d.comb += [sequencer.entry.eq(self._slot), digits.slot_in.eq(self._slot)]
        return fetched, word, sequencer

    def _sends(self, sequencer):
        """Return whether the turn has an operation to send."""
        return self._busy.bit_select(sequencer.step.slot, 1)

    def _failed(self, held, digits, sequencer):
        if self._slots == 1:
            return super()._failed(held, digits, sequencer)
        m, failed = self.m, Signal(2, name="failed")
        now = Mux(sequencer.resting, self._slot, sequencer.step.slot)
        with m.If(self._fails(held)):
            m.d.sync += failed.bit_select(now, 1).eq(1)
        with m.Elif(digits.push):
            m.d.sync += failed.bit_select(self._slot, 1).eq(0)
        return failed.bit_select(sequencer.step.slot, 1)

    def _begins(self, comes, ready, rests, ends):
        if self._slots == 1:
            return comes
        m = self.m
        first = later(m, rests, 1, "first", reset_less=False)
        none = Signal(name="none")  # no operation comes between
        m.d.comb += none.eq(first & ~self.i.valid & self._busy.any())
        with m.If(rests):
            m.d.sync += [self._slot.eq(~self._slot),
                         self._busy.bit_select(~self._slot, 1).eq(0)]
        with m.If(ends):
            m.d.sync += self._busy.bit_select(self._slot, 1).eq(1)
        with m.If(none):
            m.d.sync += ready.eq(0)
        return comes | later(m, none, 3, "goes_on", reset_less=False)
