"""Engines with one operation under way, or with two that come in turns; and with two scalars."""

from amaranth.hdl import C, Cat, Mux, Signal
from amaranth.lib import data, wiring

from ...blocks.values import after, at_last, later, padded
from ...core import Field, Message
from ...points.microcode import Held, Index
from ..datapath.ranges import BASE
from ..programs.engine_program import TURNS
from ..programs.joint_program import INPUTS
from ..units.scalar_digits import WINDOW
from ..units.words import PairedIntake
from .point_engine import WidePointEngine

__all__ = ["JointEdwardsEngine", "JointEngine", "JointHalvesEngine", "KoblitzEngine",
           "LadderEngine", "PairedEngine", "PairedPointEngine", "operands"]


class PairedEngine(WidePointEngine):
    """Works on one operation, or on two that come in turns.

    Each of two is in the engine for two turns: one comes in and begins in the turn in which the
    other one ends and is sent. Another operation comes in between if all of its words are there
    when a turn ends: see :class:`~.words.PairedIntake`. If not, the turn is the same
    without one, so that a result never waits for words.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation in a turn.

    With two operations the program has a turn for each, with the labels
    :data:`~.engine_program.TURNS`, and its steps have a field ``slot``, the operation that is sent;
    ``digits`` has a port ``slot_in``, the operation whose words come in.
    """

    #: See :class:`~.words.PairedIntake`.
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

    def _multiple(self, turn, word):
        return Cat(padded(turn, WINDOW), word.slot) if self._slots > 1 else turn

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


class LadderEngine(PairedEngine):
    """Multiplies points by scalars, by their first coordinates alone.

    Where a digit of the scalar chooses between two numbers, it changes the lowest bit of the
    addresses at which registers are read. Which words are done, and when, depends on nothing. With
    two operations under way each has half of the registers.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation at a time, or in half of that time.
    """

    _multiple = WidePointEngine._multiple

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


_SCALARS = 2


def operands(digits):
    """Return what comes in, as numbers of so many digits: scalars, and then the numbers of the
    memory's entry for inputs.
    """
    return Message(BASE, tuple(Field(name, digits, meaning) for name, meaning in (
        ("scalar", "the scalar of the point"), ("of_base", "the scalar of the base point"),
        ("x", "the first coordinate of the point"), ("y", "the second one"),
        ("r", "what the first coordinate of the sum should be"), ("d", "or that much more"))))


class JointEngine(PairedEngine):
    """Adds a multiple of a point to one of the base point, as its program says.

    Words are those of :func:`operands`. The words of a result are all 1 if the point is none, a
    number is not below the prime, or the first coordinate of the sum is another one; and all 0 if
    the sum is the point at infinity.

    With two operations under way, multiples of a point are made in the first turn, and half of the
    digits are added; in the second turn the other half.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation in a turn.
    """

    _gathers = True
    #: Multiples of the base point have a third coordinate, which is 0 at infinity.
    _has_z = True

    @property
    def _operands(self):
        return operands(self.core.prime.digits)

    def _is_last(self, part):
        """Return whether no number follows that of a part of the memory's entry for inputs."""
        return part.all()

    def _control(self, held, digits, begins):
        m, is_double = self.m, self._slots > 1
        fetched, word, sequencer = super()._control(held, digits, begins)
        # Digits are chosen a clock before the memory is asked.
        second, waits = word.index == Index.SECOND, self.program.timing.memory - 1
        m.d.comb += [digits.of_base.eq(second),
                     *([digits.of_z.eq(word.part[1])] if self._has_z else []),
                     digits.negative_of_base.eq(later(m, second, waits, "second"))]
        asks = data.View(word.shape(), later(m, word.as_value(), 1, "asks"))
        # Numbers that come in are stored as if the microcode, which rests then, said so.
        self._comes, self._part = Signal(name="comes"), Signal(2, name="part")
        chosen = data.View(word.shape(), Signal(word.shape().size, name="chosen"))
        inputs = C(INPUTS, word.entry.shape())
        if is_double:
            inputs = Cat(C(INPUTS, WINDOW), self._next.slot)
            m.d.comb += [
                digits.slot.eq(word.slot),
                digits.negative_of_slot.eq(later(m, word.slot, waits, "slot_late"))]
        of_base = asks.index == Index.SECOND
        of_multiple = Mux(asks.part[1], digits.odd, Cat(asks.part[0], digits.odd))
        m.d.comb += [
            chosen.eq(word.as_value()),
            chosen.index.eq(Mux(of_base, Index.DIGIT, asks.index)),
            chosen.entry.eq(asks.entry | (inputs & self._comes.replicate(len(inputs)))),
            chosen.part.eq(Mux(of_base, of_multiple,
                               asks.part | (self._part & self._comes.replicate(2)))),
            chosen.store.eq(asks.store | self._comes)]
        if is_double:
            m.d.comb += chosen.slot.eq(asks.slot)
            with m.If((word.held == Held.SEND) & ~self._next.sends):
                m.d.comb += chosen.held.eq(Held.NOTHING)
        return fetched, chosen, sequencer

    def _words_in(self, held, digits, begins, resting):
        m, last, count = self.m, len(self.operands.fields) - 1, self.core.prime.digits
        takes, ready, ended = (Signal(name=name, init=name == "ready")
                               for name in ("takes", "ready", "ended"))
        which, place = Signal(range(last + 1)), Signal(range(count))
        number = Signal.like(self._part)
        ends = takes & at_last(place, count)
        word = self._intake(takes, ready)
        m.d.comb += [each.word.eq(word) for each in (digits, held)]
        of_scalar = Signal()
        m.d.sync += [of_scalar.eq(takes & (which < _SCALARS)), digits.push.eq(of_scalar),
                     held.pushes.eq(takes & (which >= _SCALARS)),
                     ended.eq(ends & (which >= _SCALARS)),
                     number.eq(which - _SCALARS), self._comes.eq(ended), self._part.eq(number),
                     place.eq(after(place, count, takes))]
        rested = later(m, resting, 1, "rested", reset_less=False, init=1)
        with m.If(ends):
            m.d.sync += [which.eq(after(which, last + 1)), ready.eq(which != last)]
        with m.Elif(resting & ~rested):
            m.d.sync += ready.eq(1)
        m.d.sync += begins.eq(self._begins(self._comes & self._is_last(self._part)))
        return C(0, 1), C(0, 1)


class JointHalvesEngine(JointEngine):
    """The same for a scalar of the point in two halves."""

    _has_z = False

    def _control(self, held, digits, begins):
        fetched, chosen, sequencer = super()._control(held, digits, begins)
        half, waits = fetched.entry[0], self.program.timing.memory - 1
        self.m.d.comb += [digits.of_half.eq(half),
                          digits.negative_of_half.eq(later(self.m, half, waits, "half"))]
        return fetched, chosen, sequencer


class JointEdwardsEngine(JointEngine):
    """The same on an Edwards curve, of which the program finds the first coordinate of the point.

    That coordinate is sent, or minus it, and then those of the sum: all of them below the prime,
    but all bits are 1 if there is none.

    ``digits.flips`` is driven from outside, some clocks after the first coordinate is sent.
    """

    _has_z = False

    @property
    def _operands(self):
        return self.params.operands

    def _is_last(self, part):
        return part == len(self.operands.fields) - _SCALARS - 1
