"""Exponentiation with a result in residues: steps 4 to 7 of Figure 4."""

import dataclasses
import functools

from amaranth.hdl import Module
from amaranth.lib import wiring

from ..core import Cycles, Signature, ceil_div, to_words
from .control import Layout, Program
from .exponentiation import WINDOW, multiplications
from .key import prepare
from .multiplier import row
from .parameters import Parameters
from .rns import Residues
from .schedule import conversion
from .sequencer import Sequencer
from .windows import NUMBERS, Place, Windows

__all__ = ["Powers", "PowersParameters"]


@dataclasses.dataclass(frozen=True)
class PowersParameters:
    """Parameters of :class:`Powers`, which is an exponentiator but for the last conversion.

    A result goes as residues, and is below twice the modulus; what depends on the modulus alone is
    sent too.

    Parameters
    ----------
    multiplier : :class:`~montgomery.cox_rower.parameters.Parameters`
        Of the multiplications.
    """

    multiplier: Parameters

    @functools.cached_property
    def programs(self):
        """:class:`~montgomery.cox_rower.control.Program` of multiplication and of conversion."""
        one = self.multiplier
        n = one.rns.bases.n
        layout = Layout(one.slots, n, NUMBERS, converts=True)
        return [Program(plan, layout) for plan in (one.schedule,
                                                   conversion(n, one.rowers, one.latency))]

    @property
    def rows_in(self):
        """Two rows of the key, three numbers as residues, and one as digits."""
        return 9 * self.multiplier.slots

    @property
    def exponent_words(self):
        """Words of an exponent as long as the modulus."""
        return ceil_div(ceil_div(self.multiplier.width, WINDOW),
                        self.multiplier.word_width // WINDOW)

    @property
    def result_words(self):
        return self.multiplier.result_words

    def encode(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the words of one exponentiation, for port ``i``."""
        self.multiplier.check_operands(base, 0, modulus)
        bits = exponent.bit_length() if exponent_bits is None else exponent_bits
        digits, in_word = self.digits(bits), self.multiplier.word_width // WINDOW
        places = in_word * self.exponent_words
        aligned = exponent << WINDOW * (places - digits)
        words = [aligned >> WINDOW * in_word * index & (1 << WINDOW * in_word) - 1
                 for index in reversed(range(self.exponent_words))]
        rns, key = self.multiplier.rns, prepare(self.multiplier.rns, modulus)
        ones = Residues(*((1,) * rns.bases.n for _ in range(2)))
        parts = [key.to_xi, key.t_to_xi, *(part for number in (key.square, ones, key.one)
                                           for part in (number.a, number.b)),
                 to_words(base, rns.bases.r, rns.bases.n)]
        return [digits, *words,
                *(word for part in parts for word in self.multiplier.ordered(part))]

    def decode(self, words):
        """Return the result, below twice the modulus."""
        return self.multiplier.decode(words)

    @staticmethod
    def digits(exponent_bits):
        """Return the digits of an exponent."""
        return max(ceil_div(exponent_bits, WINDOW), 1)

    def cycles(self, exponent_bits):
        """Return the :class:`~montgomery.Cycles` of one exponentiation."""
        one = self.multiplier.cycles
        load = 1 + self.exponent_words + self.rows_in * self.multiplier.rowers
        count = multiplications(WINDOW * self.digits(exponent_bits)) + 2
        multiplication, conversion = self.programs
        compute = (Sequencer.START + conversion.clocks(1) + Sequencer.AGAIN
                   + multiplication.clocks(count) + Sequencer.FETCH)
        return Cycles(load=load, compute=compute, unload=one.unload,
                      interval=load + compute + one.unload - 1)

    def create(self):
        return Powers(self)


class Powers(wiring.Component):
    """The Rowers, and who says what they multiply.

    Parameters
    ----------
    params : :class:`PowersParameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(Signature(params.multiplier.word_width))

    def elaborate(self, platform):
        m = Module()
        p, inner = self.params, self.params.multiplier
        m.submodules.windows = windows = Windows(inner.word_width, p.exponent_words)
        m.submodules.sequencer = sequencer = Sequencer(
            p.programs, width=inner.word_width, u=inner.rowers, rows_in=p.rows_in,
            rows_out=inner.rows_out, result=Place.Y)
        # The words for ``windows`` are the first ones, and come when rows could come too.
        m.d.comb += [
            windows.i.payload.eq(self.i.payload), sequencer.i.payload.eq(self.i.payload),
            windows.i.valid.eq(self.i.valid & sequencer.i.ready),
            sequencer.i.valid.eq(self.i.valid & ~windows.waits),
            self.i.ready.eq(sequencer.i.ready),
            sequencer.next.eq(windows.next), windows.takes.eq(sequencer.takes),
            sequencer.more.eq(windows.more),
        ]
        wiring.connect(m, sequencer.o, wiring.flipped(self.o))
        row(m, inner, sequencer)
        return m
