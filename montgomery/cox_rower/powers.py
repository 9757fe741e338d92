"""RSA without CRT, but for what depends on the modulus alone: steps 4 to 9 of Figure 4."""

import dataclasses
import functools
import itertools

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from ..core import Cycles, Signature, ceil_div, from_words, to_words
from .control import Layout, Program
from .correction import Correction
from .exponentiation import WINDOW, multiplications
from .key import prepare
from .multiplier import row
from .parameters import Parameters
from .rns import Residues
from .schedule import conversion
from .sequencer import Sequencer
from .windows import NUMBERS, Windows

__all__ = ["Powers", "PowersParameters"]


@dataclasses.dataclass(frozen=True)
class PowersParameters:
    """Parameters of :class:`Powers`.

    Base, exponent and result are digits; what depends on the modulus alone is sent too, as residues
    that :func:`~montgomery.cox_rower.key.prepare` makes.

    Parameters
    ----------
    multiplier : :class:`~montgomery.cox_rower.parameters.Parameters`
        Of the multiplications.
    """

    multiplier: Parameters

    @functools.cached_property
    def programs(self):
        """Each :class:`~montgomery.cox_rower.control.Program`: multiplication, Equations 8, 9."""
        one = self.multiplier
        n = one.rns.bases.n
        layout = Layout(one.slots, n, NUMBERS, converts=True)
        conversions = [conversion(n, one.u, one.latency, to_rns=to_rns)
                       for to_rns in (True, False)]
        return [Program(plan, layout) for plan in (one.schedule, *conversions)]

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
        return self.multiplier.rns.bases.n

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
        return [digits, *words, *to_words(modulus, rns.bases.r, rns.bases.n),
                *(word for part in parts for word in self.multiplier.ordered(part))]

    def decode(self, words):
        """Return the result from the words of port ``o``."""
        return from_words(words, self.multiplier.word_width)

    @staticmethod
    def digits(exponent_bits):
        """Return the digits of an exponent."""
        return max(ceil_div(exponent_bits, WINDOW), 1)

    def cycles(self, exponent_bits):
        """Return the :class:`~montgomery.Cycles` of one exponentiation."""
        u, n = self.multiplier.u, self.multiplier.rns.bases.n
        load = 1 + self.exponent_words + n + self.rows_in * u
        count = multiplications(WINDOW * self.digits(exponent_bits)) + 2
        multiplication, to_rns, to_digits = self.programs
        compute = (Sequencer.START + to_rns.clocks(1) + Sequencer.AGAIN
                   + multiplication.clocks(count) + Sequencer.AGAIN
                   + to_digits.lead + to_digits.drained + u + Correction.clocks(n, 0) - 2 * n + 2)
        return Cycles(load=load, compute=compute, unload=n, interval=load + compute + n - 1)

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
        n = inner.rns.bases.n
        m.submodules.sequencer = sequencer = Sequencer(
            p.programs, width=inner.word_width, u=inner.u, rows_in=p.rows_in, rows_out=0)
        m.submodules.correction = correction = Correction(
            inner.word_width, inner.rns.reduction.width, max(n, 2))
        rowers = row(m, inner, sequencer)

        # -- The first words are for ``windows``, the next ones for ``correction``. They come when
        # rows could come too.
        of_modulus = Signal(range(n + 1))  # words
        is_modulus = Signal()
        m.d.comb += is_modulus.eq(~windows.waits & (of_modulus != 0))
        with m.If(windows.waits):
            m.d.sync += of_modulus.eq(n)
        with m.Elif(correction.modulus.valid & correction.modulus.ready):
            m.d.sync += of_modulus.eq(of_modulus - 1)
        for target in (windows.i, correction.modulus, sequencer.i):
            m.d.comb += target.payload.eq(self.i.payload)
        m.d.comb += [
            windows.i.valid.eq(self.i.valid & sequencer.i.ready),
            correction.modulus.valid.eq(self.i.valid & is_modulus),
            sequencer.i.valid.eq(self.i.valid & ~windows.waits & ~is_modulus),
            self.i.ready.eq(Mux(is_modulus, correction.modulus.ready, sequencer.i.ready)),
            sequencer.next.eq(windows.next), windows.takes.eq(sequencer.takes),
            sequencer.more.eq(windows.more),
        ]

        # -- The sums come from the first Rower, for as many clocks as there are Rowers.
        draining = Signal(range(inner.u + 1))
        with m.If(sequencer.control.drain):
            m.d.sync += draining.eq(inner.u)
        with m.Elif(draining != 0):
            m.d.sync += draining.eq(draining - 1)
        for rower, after in itertools.pairwise(rowers):
            m.d.comb += rower.drain_before.eq(after.drain)
        m.d.comb += [correction.last.eq(n - 1), correction.i.payload.eq(rowers[0].drain),
                     correction.i.valid.eq(draining != 0)]
        wiring.connect(m, correction.o, wiring.flipped(self.o))
        return m
