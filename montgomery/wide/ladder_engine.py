"""The engine for key agreement: that for scalar multiplication, with a ladder."""

from amaranth.hdl import Signal

from ..points.microcode import Held
from .ladder_bits import LadderBits
from .paired_engine import PairedEngine
from .reduced import ReducedNumber

__all__ = ["LadderEngine"]


class LadderEngine(PairedEngine):
    """Multiplies points by scalars, by their first coordinates alone.

    Where a digit of the scalar chooses between two numbers, it changes the lowest bit of the
    addresses at which registers are read. Which words are done, and when, depends on nothing. With
    two operations under way each has half of the registers.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation at a time, or in half of that time.

    Parameters
    ----------
    params : :class:`~.key_agreement.Parameters`
    core : :class:`~.folding_core.FoldingCore`
    program : :class:`~.engine_program.EngineProgram`
        Made for the clocks of the core.
    slots : :class:`int`
        Operations under way, one or two.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    _held = ReducedNumber

    def __init__(self, params, core, program, slots):
        super().__init__(params, core, program, LadderBits(slots), slots)

    def _fails(self, held):
        return held.zero

    def _control(self, held, digits, begins):
        m = self.m
        fetched, word, sequencer = super()._control(held, digits, begins)
        digit = digits.magnitude
        if self._slots > 1:
            self._part_above, digit = self._next.slot, digit.bit_select(fetched.a[-1], 1)
            sent = Signal(word.shape(), name="sent")
            m.d.comb += sent.eq(word)
            with m.If((word.held == Held.SEND) & ~self._next.sends):
                m.d.comb += sent.held.eq(Held.NOTHING)
            word = sent
        other = fetched.chooses & digit
        chosen = Signal(fetched.shape(), name="chosen")
        m.d.comb += [chosen.eq(fetched), chosen.a[0].eq(fetched.a[0] ^ other),
                     chosen.b[0].eq(fetched.b[0] ^ other)]
        return chosen, word, sequencer
