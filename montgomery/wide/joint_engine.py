"""The engine for sums of two multiples: that for scalar multiplication, with two scalars."""

from amaranth.hdl import C, Cat, Mux, Signal
from amaranth.lib import data

from ..blocks.delay import later
from ..core import Field, Message
from ..points.microcode import Index
from .joint_program import INPUTS
from .places import after
from .point_engine import WidePointEngine
from .primes import DIGITS
from .ranges import BASE

__all__ = ["OPERANDS", "JointEngine"]

#: What comes in: scalars, and then the numbers of the memory's entry for inputs.
OPERANDS = Message(BASE, tuple(Field(name, DIGITS, meaning) for name, meaning in (
    ("scalar", "the scalar of the point"), ("of_base", "the scalar of the base point"),
    ("x", "the first coordinate of the point"), ("y", "the second one"),
    ("r", "what the first coordinate of the sum should be"), ("d", "or that much more"))))
_SCALARS = 2


class JointEngine(WidePointEngine):
    """Adds a multiple of a point to one of the base point, as its program says.

    Words are those of :data:`OPERANDS`. The words of a result are all 1 if the point is none, a
    number is not below the prime, or the first coordinate of the sum is another one; and all 0 if
    the sum is the point at infinity.

    Latency: the same number of clocks for all operations. Throughput: an operation at a time.

    Parameters
    ----------
    params : object
        With ``signature``, ``operands`` and ``constants``, as a core has them.
    core : :class:`~.core.WideCore`
    program : :class:`~.engine_program.EngineProgram`
        Made for the clocks of the core.
    digits : :class:`~.joint_digits.JointDigits`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def _control(self, held, digits, begins):
        m = self.m
        fetched, word, sequencer = super()._control(held, digits, begins)
        second = fetched.index == Index.SECOND
        m.d.comb += [digits.of_base.eq(second), digits.of_z.eq(fetched.part[1]),
                     digits.negative_of_base.eq(
                         later(m, second, self.program.timing.memory, "second"))]
        # Numbers that come in are stored as if the microcode, which rests then, said so.
        self._comes, self._part = Signal(name="comes"), Signal(2, name="part")
        chosen = data.View(word.shape(), Signal(word.shape().size, name="chosen"))
        inputs = C(INPUTS, word.entry.shape())
        of_base = word.index == Index.SECOND
        of_multiple = Mux(word.part[1], digits.odd, Cat(word.part[0], digits.odd))
        m.d.comb += [
            chosen.eq(word.as_value()),
            chosen.index.eq(Mux(of_base, Index.DIGIT, word.index)),
            chosen.entry.eq(word.entry | (inputs & self._comes.replicate(len(inputs)))),
            chosen.part.eq(Mux(of_base, of_multiple,
                               word.part | (self._part & self._comes.replicate(2)))),
            chosen.store.eq(word.store | self._comes)]
        return fetched, chosen, sequencer

    def _words_in(self, held, digits, begins, resting):
        m, last = self.m, len(OPERANDS.fields) - 1
        takes, ready, ended = (Signal(name=name, init=name == "ready")
                               for name in ("takes", "ready", "ended"))
        which, place = Signal(range(last + 1)), Signal(range(DIGITS))
        number = Signal.like(self._part)
        ends = takes & place.all()
        m.d.comb += [takes.eq(self.i.valid & ready), self.i.ready.eq(ready)]
        word = later(m, self.i.payload, 2, "word_in")
        m.d.comb += [each.word.eq(word) for each in (digits, held)]
        of_scalar = Signal()
        m.d.sync += [of_scalar.eq(takes & (which < _SCALARS)), digits.push.eq(of_scalar),
                     held.pushes.eq(takes & (which >= _SCALARS)),
                     ended.eq(ends & (which >= _SCALARS)),
                     number.eq(which - _SCALARS), self._comes.eq(ended), self._part.eq(number),
                     begins.eq(self._comes & self._part.all()),
                     place.eq(place + takes)]
        rested = later(m, resting, 1, "rested", reset_less=False, init=1)
        with m.If(ends):
            m.d.sync += [which.eq(after(which, last + 1)), ready.eq(which != last)]
        with m.Elif(resting & ~rested):
            m.d.sync += ready.eq(1)
        return C(0, 1), C(0, 1)
