"""The engine for scalar multiplication on secp256k1: that for other curves, with two scalars."""

from amaranth.hdl import Mux, Signal
from amaranth.lib import data

from ..blocks.delay import later
from ..points.microcode import Index
from .point_engine import WidePointEngine

__all__ = ["KoblitzEngine"]


class KoblitzEngine(WidePointEngine):
    """Multiplies points by scalars in two halves, one at a time, as its program says.

    Latency: the same number of clocks for all operations. Throughput: an operation at a time.

    Parameters
    ----------
    params : :class:`~.scalar_multiplication.Parameters`
    core : :class:`~.koblitz_core.KoblitzCore`
    program : :class:`~.engine_program.EngineProgram`
        Made for the clocks of the core.
    digits : :class:`~.scalar_halves.ScalarHalves`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
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
