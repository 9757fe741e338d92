"""Engines with one operation under way, or with two that come in turns."""

from amaranth.hdl import Cat, Mux, Signal
from amaranth.lib import data, wiring

from ...blocks.values import later, padded
from ...points.microcode import Held, Index
from ..programs.engine_program import TURNS
from ..units.intake import PairedIntake
from ..units.scalar_digits import WINDOW
from .point_engine import WidePointEngine

__all__ = ["KoblitzEngine", "LadderEngine", "PairedEngine", "PairedPointEngine"]


class PairedEngine(WidePointEngine):
    """Works on one operation, or on two that come in turns.

    Each of two is in the engine for two turns: one comes in and begins in the turn in which the
    other one ends and is sent. Another operation comes in between if all of its words are there
    when a turn ends: see :class:`~.intake.PairedIntake`. If not, the turn is the same
    without one, so that a result never waits for words.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation in a turn.

    With two operations the program has a turn for each, with the labels
    :data:`~.engine_program.TURNS`, and its steps have a field ``slot``, the operation that is sent;
    ``digits`` has a port ``slot_in``, the operation whose words come in.
    """

    #: See :class:`~.intake.PairedIntake`.
    _gathers = False

    @property
    def _slots(self):
        return self.params.in_flight

    @property
    def _entries(self):
        return TURNS if self._slots > 1 else ()

    def _control(self, held, digits, begins):
        fetched, word, sequencer = super()._control(held, digits, begins)
        if self._slots > 1:
            m = self.m
            each = PairedIntake(self.operands.words, self._gathers)
            m.submodules.next = self._next = each
            wiring.connect(m, wiring.flipped(self.i), each.i)
            m.d.comb += [each.resting.eq(sequencer.resting), sequencer.entry.eq(each.slot),
                         digits.slot_in.eq(each.slot)]
        return fetched, word, sequencer

    def _sent(self, word):
        """Return a word that sends nothing in a turn that has no operation to send."""
        sent = Signal(word.shape(), name="sent")
        self.m.d.comb += sent.eq(word)
        with self.m.If((word.held == Held.SEND) & ~self._next.sends):
            self.m.d.comb += sent.held.eq(Held.NOTHING)
        return sent

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
        with m.If(held.fails):
            m.d.sync += failed.bit_select(now, 1).eq(1)
        with m.Elif(digits.push):
            m.d.sync += failed.bit_select(slot, 1).eq(0)
        return failed.bit_select(sequencer.step.slot, 1)


class KoblitzEngine(WidePointEngine):
    """Multiplies points by scalars in two halves, one at a time, as its program says.

    Latency: the same number of clocks for all operations. Throughput: an operation at a time.
    """

    def _control(self, held, digits, begins):
        m = self.m
        fetched, word, sequencer = super()._control(held, digits, begins)
        # Digits of the second scalar choose among the same entries. The number is there later.
        second = fetched.index == Index.SECOND
        chosen = data.View(word.shape(), Signal(word.shape().size, name="chosen"))
        m.d.comb += [
            chosen.eq(word.as_value()),
            chosen.index.eq(Mux(word.index == Index.SECOND, Index.DIGIT, word.index)),
            digits.magnitude_of.eq(second),
            digits.negative_of.eq(later(m, second, self.program.timing.memory, "second"))]
        return fetched, chosen, sequencer


class PairedPointEngine(PairedEngine):
    """Multiplies points by scalars, one at a time, or two that take turns at the multiplier.

    Of two, in the turn in which an operation comes its multiples are made, and it goes through the
    first half of its windows. In the next turn it goes through the other half, is divided, and is
    sent.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation in a turn.
    """

    def _control(self, held, digits, begins):
        m = self.m
        fetched, word, sequencer = super()._control(held, digits, begins)
        if self._slots == 1:
            return fetched, word, sequencer
        self._part_above = self._next.slot
        m.d.comb += [
            digits.slot.eq(word.slot),
            digits.negative_of.eq(later(m, word.slot, self.program.timing.memory, "slot_late"))]
        return fetched, self._sent(word), sequencer

    def _multiple(self, turn, word):
        return Cat(padded(turn, WINDOW), word.slot) if self._slots > 1 else turn


class LadderEngine(PairedEngine):
    """Multiplies points by scalars, by their first coordinates alone.

    Where a digit of the scalar chooses between two numbers, it changes the lowest bit of the
    addresses at which registers are read. Which words are done, and when, depends on nothing. With
    two operations under way each has half of the registers.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation at a time, or in half of that time.
    """

    def _control(self, held, digits, begins):
        m = self.m
        fetched, word, sequencer = super()._control(held, digits, begins)
        digit = digits.magnitude
        if self._slots > 1:
            self._part_above, digit = self._next.slot, digit.bit_select(fetched.a[-1], 1)
            word = self._sent(word)
        other = fetched.chooses & digit
        chosen = Signal(fetched.shape(), name="chosen")
        m.d.comb += [chosen.eq(fetched), chosen.a[0].eq(fetched.a[0] ^ other),
                     chosen.b[0].eq(fetched.b[0] ^ other)]
        return chosen, word, sequencer
