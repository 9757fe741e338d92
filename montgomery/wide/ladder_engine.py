"""The engine for key agreement: that for scalar multiplication, with a ladder."""

from amaranth.hdl import Signal
from amaranth.lib import data

from .point_engine import WidePointEngine
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
    digits : :class:`~.ladder_bits.LadderBits`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    _held = ReducedNumber

    def _fails(self, held):
        return held.zero

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.core.short.eq(self._word.short)
        return m

    def _control(self, held, digits, begins):
        fetched, word, sequencer = super()._control(held, digits, begins)
        self._word = word
        chosen = Signal(fetched.shape(), name="chosen")
        other = fetched.chooses & digits.magnitude
        self.m.d.comb += [chosen.eq(fetched.as_value()), chosen.a[0].eq(fetched.a[0] ^ other),
                          chosen.b[0].eq(fetched.b[0] ^ other)]
        return data.View(fetched.shape(), chosen.as_value()), word, sequencer
