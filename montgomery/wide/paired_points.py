"""The engine for scalar multiplication, with two operations under way."""

from amaranth.hdl import Cat, Signal

from ..blocks.delay import later
from ..blocks.values import padded
from ..points.microcode import Held
from .paired_digits import PairedDigits
from .paired_engine import PairedEngine
from .scalar_digits import WINDOW

__all__ = ["PairedPointEngine"]


class PairedPointEngine(PairedEngine):
    """Multiplies points by scalars, two at a time, which take turns at the multiplier.

    In the turn in which an operation comes its multiples are made, and it goes through the first
    half of its windows. In the next turn it goes through the other half, is divided, and is sent.

    Latency: the same number of clocks for all operations, but for the words of one that comes
    between. Throughput: an operation in a turn.

    Parameters
    ----------
    params : :class:`~.scalar_multiplication.Parameters`
    core : :class:`~.core.WideCore`
    program : :class:`~.engine_program.EngineProgram`
        Made for the clocks of the core, and two operations.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params, core, program):
        super().__init__(params, core, program, PairedDigits(core.prime.digits), 2)

    def _control(self, held, digits, begins):
        m = self.m
        fetched, word, sequencer = super()._control(held, digits, begins)
        self._part_above = self._next.slot
        sent = Signal(word.shape(), name="sent")
        m.d.comb += [
            digits.slot.eq(word.slot), sent.eq(word),
            digits.negative_of.eq(later(m, word.slot, self.program.timing.memory, "slot_late"))]
        with m.If((word.held == Held.SEND) & ~self._next.sends):
            m.d.comb += sent.held.eq(Held.NOTHING)
        return fetched, sent, sequencer

    def _multiple(self, turn, word):
        return Cat(padded(turn, WINDOW), word.slot)
