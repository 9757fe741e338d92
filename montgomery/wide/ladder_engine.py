"""The engine for key agreement: that for scalar multiplication, with a ladder."""

from amaranth.hdl import C, Signal
from amaranth.lib import data

from ..blocks.delay import later
from .ladder_bits import LadderBits
from .point_engine import WidePointEngine
from .primes import DIGITS
from .reduced import ReducedNumber

__all__ = ["LadderEngine"]


class LadderEngine(WidePointEngine):
    """Multiplies points by scalars, one at a time, by their first coordinates alone.

    Where a digit of the scalar chooses between two numbers, it changes the lowest bit of the
    addresses at which registers are read. Which words are done, and when, depends on nothing.

    Latency: the same number of clocks for all operations. Throughput: an operation at a time.

    Parameters
    ----------
    params : :class:`~.key_agreement.Parameters`
    core : :class:`~.folding_core.FoldingCore`
    program : :class:`~.engine_program.EngineProgram`
        Made for the clocks of the core.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    _held = ReducedNumber

    def _digits(self):
        return LadderBits()

    def _fails(self, held):
        return held.zero

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.core.short.eq(
            later(m, self._word.short, 1, "short", reset_less=False))
        return m

    def _control(self, held, digits, begins):
        fetched, word, sequencer = super()._control(held, digits, begins)
        self._word = word
        chosen = Signal(fetched.shape(), name="chosen")
        other = fetched.chooses & digits.magnitude
        self.m.d.comb += [chosen.eq(fetched.as_value()), chosen.a[0].eq(fetched.a[0] ^ other),
                          chosen.b[0].eq(fetched.b[0] ^ other)]
        return data.View(fetched.shape(), chosen.as_value()), word, sequencer

    def _words_in(self, held, digits, begins, resting):
        """Take words; return whether the coordinate came in just before, and its part."""
        m = self.m
        takes, ready, comes = (Signal(name=name, init=name == "ready")
                               for name in ("takes", "ready", "comes"))
        of_point, place = Signal(name="of_point"), Signal(range(DIGITS), name="place_in")
        ends = takes & (place == DIGITS - 1)
        m.d.comb += [takes.eq(self.i.valid & ready), self.i.ready.eq(ready)]
        of_scalar, ended = Signal(), Signal()
        m.d.sync += [of_scalar.eq(takes & ~of_point), held.pushes.eq(takes & of_point),
                     ended.eq(ends & of_point), digits.push.eq(of_scalar), comes.eq(ended),
                     begins.eq(comes), place.eq(place + takes)]
        word = later(m, self.i.payload, 2, "word_in")
        # Bit 255 of a coordinate does not count.
        m.d.comb += [digits.word.eq(word), held.word.eq(word), held.word[-1].eq(word[-1] & ~comes)]
        rested = later(m, resting, 1, "rested", reset_less=False, init=1)
        with m.If(ends):
            m.d.sync += [of_point.eq(~of_point), ready.eq(~of_point)]
        with m.Elif(resting & ~rested):
            m.d.sync += ready.eq(1)
        return comes, C(0, 1)
