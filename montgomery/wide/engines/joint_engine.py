"""The engine for sums of two multiples: that for scalar multiplication, with two scalars."""

from amaranth.hdl import C, Cat, Mux, Signal
from amaranth.lib import data

from ...blocks.values import after, at_last, later, padded
from ...core import Field, Message
from ...points.microcode import Held, Index
from ..datapath.ranges import BASE
from ..programs.joint_program import INPUTS
from ..units.scalar_digits import WINDOW
from .paired_engine import PairedEngine

__all__ = ["JointEdwardsEngine", "JointEngine", "JointHalvesEngine", "operands"]

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

    def _multiple(self, turn, word):
        return Cat(padded(turn, WINDOW), word.slot) if self._slots > 1 else turn

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
