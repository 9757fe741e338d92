"""The engine for scalar multiplication, in which two operations may be under way."""

from amaranth.hdl import Mux, Signal
from amaranth.lib import wiring

from .paired_intake import PairedIntake
from .point_engine import WidePointEngine
from .slots import TURNS

__all__ = ["PairedEngine"]


class PairedEngine(WidePointEngine):
    """Works on one operation, or on two that come in turns.

    Each of two is in the engine for two turns: one comes in and begins in the turn in which the
    other one ends and is sent. Another operation comes in between if all of its words are there
    when a turn ends: see :class:`~.paired_intake.PairedIntake`. If not, the turn is the same
    without one, so that a result never waits for words.

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

    #: See :class:`~.paired_intake.PairedIntake`.
    _gathers = False

    def __init__(self, params, core, program, digits, slots):
        super().__init__(params, core, program, digits)
        self._slots = slots
        self._entries = TURNS if slots > 1 else ()

    def _control(self, held, digits, begins):
        fetched, word, sequencer = super()._control(held, digits, begins)
        if self._slots > 1:
            m = self.m
            each = PairedIntake(self.params.operands.words, self._gathers)
            m.submodules.next = self._next = each
            wiring.connect(m, wiring.flipped(self.i), each.i)
            m.d.comb += [each.resting.eq(sequencer.resting), sequencer.entry.eq(each.slot),
                         digits.slot_in.eq(each.slot)]
        return fetched, word, sequencer

    def _intake(self, takes, ready):
        if self._slots == 1:
            return super()._intake(takes, ready)
        self.m.d.comb += takes.eq(self._next.takes)
        return self._next.word

    def _begins(self, comes):
        return comes | self._next.goes_on if self._slots > 1 else comes

    def _failed(self, held, digits, sequencer):
        if self._slots == 1:
            return super()._failed(held, digits, sequencer)
        m, slot, failed = self.m, self._next.slot, Signal(2, name="failed")
        now = Mux(sequencer.resting, slot, sequencer.step.slot)
        with m.If(self._fails(held)):
            m.d.sync += failed.bit_select(now, 1).eq(1)
        with m.Elif(digits.push):
            m.d.sync += failed.bit_select(slot, 1).eq(0)
        return failed.bit_select(sequencer.step.slot, 1)
