"""The engine for sums of two multiples: that for scalar multiplication, with two scalars."""

from amaranth.hdl import C, Cat, Mux, Signal
from amaranth.lib import data

from ...blocks.values import after, later, padded
from ...core import Field, Message
from ...points.microcode import Held, Index
from ..datapath.primes import DIGITS
from ..datapath.ranges import BASE
from ..programs.joint_program import INPUTS
from ..units.scalar_digits import WINDOW
from .paired_engine import PairedEngine

__all__ = ["OPERANDS", "JointEngine"]

#: What comes in: scalars, and then the numbers of the memory's entry for inputs.
OPERANDS = Message(BASE, tuple(Field(name, DIGITS, meaning) for name, meaning in (
    ("scalar", "the scalar of the point"), ("of_base", "the scalar of the base point"),
    ("x", "the first coordinate of the point"), ("y", "the second one"),
    ("r", "what the first coordinate of the sum should be"), ("d", "or that much more"))))
_SCALARS = 2


class JointEngine(PairedEngine):
    """Adds a multiple of a point to one of the base point, as its program says.

    Words are those of :data:`OPERANDS`. The words of a result are all 1 if the point is none, a
    number is not below the prime, or the first coordinate of the sum is another one; and all 0 if
    the sum is the point at infinity.

    With two operations under way, multiples of a point are made in the first turn, and half of the
    digits are added; in the second turn the other half.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation in a turn.

    Parameters
    ----------
    params, core, program : see :class:`~.paired_engine.PairedEngine`
    digits : :class:`~.joint_digits.JointDigits`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    _operands, _gathers = OPERANDS, True

    def _control(self, held, digits, begins):
        m, is_double = self.m, self._slots > 1
        fetched, word, sequencer = super()._control(held, digits, begins)
        # Digits are chosen a clock before the memory is asked.
        second, waits = word.index == Index.SECOND, self.program.timing.memory - 1
        m.d.comb += [digits.of_base.eq(second), digits.of_z.eq(word.part[1]),
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
        m, last = self.m, len(OPERANDS.fields) - 1
        takes, ready, ended = (Signal(name=name, init=name == "ready")
                               for name in ("takes", "ready", "ended"))
        which, place = Signal(range(last + 1)), Signal(range(DIGITS))
        number = Signal.like(self._part)
        ends = takes & place.all()
        word = self._intake(takes, ready)
        m.d.comb += [each.word.eq(word) for each in (digits, held)]
        of_scalar = Signal()
        m.d.sync += [of_scalar.eq(takes & (which < _SCALARS)), digits.push.eq(of_scalar),
                     held.pushes.eq(takes & (which >= _SCALARS)),
                     ended.eq(ends & (which >= _SCALARS)),
                     number.eq(which - _SCALARS), self._comes.eq(ended), self._part.eq(number),
                     place.eq(place + takes)]
        rested = later(m, resting, 1, "rested", reset_less=False, init=1)
        with m.If(ends):
            m.d.sync += [which.eq(after(which, last + 1)), ready.eq(which != last)]
        with m.Elif(resting & ~rested):
            m.d.sync += ready.eq(1)
        m.d.sync += begins.eq(self._begins(self._comes & self._part.all()))
        return C(0, 1), C(0, 1)
