"""Parameters of the multiplier."""

import dataclasses
import functools
import math

from ..arithmetic import check_operand
from ..core import Cycles, parameter
from ..kinds.multiplier import Multiplier as _Multiplier
from ..operations import Definition
from . import described
from .bases import find_bases
from .control import Program
from .key import prepare
from .layout import Layout
from .multiplier_component import Multiplier
from .rns import Residues, Rns
from .rower import Rower
from .schedule import schedule
from .sequencer import Sequencer
from .sets import smallest_size
from .stages import STAGES

__all__ = ["Parameters", "latency_of"]


@functools.cache
def _rns(r, n):
    return Rns(find_bases(r, n))


def latency_of(n, u):
    """Return the clocks of a Rower's pipeline; fewer where there is nothing to do meanwhile.

    The longest one with which a multiplication takes (n / u) (2n + 20) clocks at most.
    """
    shortest, *others = STAGES
    if n == u:
        return shortest
    return next((latency for latency in reversed(others)
                 if schedule(n, u, latency).interval <= n // u * (2 * n + 20)), others[0])


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Multiplier):
    """Parameters of :class:`~montgomery.cox_rower.multiplier_component.Multiplier`.

    Operands and results are residues on the streams, as they are inside an exponentiation: the
    modulus itself is not sent, but what :func:`~montgomery.cox_rower.key.prepare` makes of it, as a
    key.
    Conversions, which an exponentiation has once, are not counted in a multiplication.

    Moduli that share a factor with base b are refused. No modulus does with ``width`` up to
    ``word_width - 3``, where base b is 2**r alone, nor does one whose prime factors all have more
    than ``word_width`` bits.

    Parameters
    ----------
    width : :class:`int`
        Bits of the largest modulus.
    word_width : :class:`int`
        Bits r of a residue, and of a word of the streams.
    rowers : :class:`int`
        Largest number u of Rowers: there are as many as there have to be elements in a base, if
        these are fewer. The base size n is the smallest multiple of u that is large enough.
    """

    source = ("Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
              "Montgomery Multiplication; Figures 1, 2 and 6 to 8")
    summary = "residue number system on parallel units in a ring"
    portable = False
    positional = False
    key_inputs = ("modulus",)
    quick_width = 32

    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1,
                            maximum=256)

    def check_parameters(self):
        # Raises what is to be said about bases that there are not.
        smallest_size(self.width, self.word_width, self.u)

    @functools.cached_property
    def u(self):
        """Number of Rowers."""
        return min(self.rowers, smallest_size(self.width, self.word_width, 1))

    @functools.cached_property
    def rns(self):
        """The :class:`~montgomery.cox_rower.rns.Rns`."""
        return _rns(self.word_width, smallest_size(self.width, self.word_width, self.u))

    @property
    def slots(self):
        """Number l of elements that a Rower has in either base."""
        return self.rns.bases.n // self.u

    @property
    def r(self):
        return self.rns.bases.b_product

    def bound(self, modulus):
        """Operands and results are below twice the modulus; see Figure 1."""
        return 2 * modulus

    def usable_modulus(self, modulus):
        # It ends, since an element that is a multiple of 3 would be in base a.
        return next(candidate for candidate in range(modulus, 1, -2)
                    if math.gcd(candidate, self.r) == 1)

    @property
    def latency(self):
        """Clocks of a Rower's pipeline; see :func:`latency_of`."""
        return latency_of(self.rns.bases.n, self.u)

    @functools.cached_property
    def schedule(self):
        """The :class:`~montgomery.cox_rower.schedule.Schedule`."""
        return schedule(self.rns.bases.n, self.u, self.latency)

    @functools.cached_property
    def program(self):
        """The :class:`~montgomery.cox_rower.control.Program` of a multiplication."""
        return Program(self.schedule, Layout(self.slots, self.rns.bases.n, 3))

    @property
    def rows_in(self):
        """Rows of words of the operands."""
        return 4 * self.slots

    @property
    def key_rows(self):
        """Rows of words of a key."""
        return 2 * self.slots

    @property
    def rows_out(self):
        return 2 * self.slots

    @property
    def cycles(self):
        load = self.rows_in * self.u
        compute = Sequencer.START + self.program.clocks(1) + Sequencer.FETCH
        # A word every other clock, and FETCH more for each row but the first.
        unload = 2 * self.rows_out * (self.u - 1) + 1 + (self.rows_out - 1) * (1 + Sequencer.FETCH)
        # The first word of a key is in the queue for a clock, the others no longer than in turn.
        return Cycles(load_key=self.key_rows * self.u + 1, load=load, compute=compute,
                      unload=unload, interval=load + compute + unload - 1)

    @property
    def operands(self):
        n = self.rns.bases.n
        return [("x", 2 * n), ("y", 2 * n)]

    @property
    def key_operands(self):
        n = self.rns.bases.n
        return [("t_to_xi", n), ("to_xi", n)]

    def constants(self, modulus):
        """Return residues of the modulus, as :class:`~montgomery.cox_rower.key.Key` has them."""
        key = prepare(self.rns, modulus)
        return {"t_to_xi": key.t_to_xi, "to_xi": key.to_xi}

    @property
    def definitions(self):
        return [
            Definition("t_to_xi", "m (B A / a)⁻¹ mod a, for each element a of base A: a word each. "
                       "A and B stand for the products of their elements here.",
                       "[modulus * pow(R * (math.prod(A) // a), -1, a) % a for a in A]"),
            Definition("to_xi", "-(m B / b)⁻¹ mod b, for each element b of base B: a word each",
                       "[-pow(modulus * (R // b), -1, b) % b for b in B]")]

    @property
    def r_definition(self):
        return Definition("R", "the product of the elements of base B, which are listed below",
                          "math.prod(B)")

    def describe(self):
        return described.multiplication(self, super().describe())

    @property
    def result_words(self):
        return 2 * self.rns.bases.n

    def ordered(self, residues):
        """Return the residues of a base in the order of the streams, or those from a stream.

        Rower i has elements i, i + u and so on. Of each row, the last Rower comes first.
        """
        return [residues[row * self.u + index] for row in range(self.slots)
                for index in reversed(range(self.u))]

    def encode_key(self, modulus):
        """Return the words of a key, for port ``k``.

        Each word is a residue: N (B A_j)**-1 for each element of base a, and -(N B_j)**-1 for each
        element of base b, where N is the modulus. Their order is that of :meth:`encode`.
        """
        self.check_operands(0, 0, modulus)
        return [word for part in self.constants(modulus).values() for word in self.ordered(part)]

    def encode(self, x, y, modulus=None):
        """Return the words of one multiplication, for port ``i``.

        Each word is a residue: those of x, modulo base a and then modulo base b; and those of y in
        the same order, in which the result comes too. Elements are dealt out to the Rowers, one to
        each in turn, and the last element of each round comes first.

        Parameters
        ----------
        x, y : :class:`int`
        modulus : :class:`int` or ``None``
            If it is None, the operands are only checked to be below the products of both bases.
        """
        if modulus is None:
            bases = self.rns.bases
            for name, value in (("x", x), ("y", y)):
                check_operand(name, value, bases.a_product * bases.b_product)
        else:
            self.check_operands(x, y, modulus)
        return [word for number in map(self.rns.residues, (x, y))
                for part in (number.a, number.b) for word in self.ordered(part)]

    def decode(self, words):
        super().decode(words)  # counts them
        n, rns = self.rns.bases.n, self.rns
        return rns.value(Residues(tuple(self.ordered(words[:n])), tuple(self.ordered(words[n:]))))

    def _product(self, x, y, modulus):
        self.check_operands(x, y, modulus)
        rns = self.rns
        return rns.product(rns.residues(x), rns.residues(y), prepare(rns, modulus))

    def result(self, x, y, modulus):
        w = self._product(x, y, modulus)
        return self.ordered(w.a) + self.ordered(w.b)

    def compute(self, x, y, modulus):
        return self.rns.value(self._product(x, y, modulus))

    def check_operands(self, x, y, modulus):
        """See :meth:`montgomery.Parameters.check_operands`.

        Raises
        ------
        ValueError
            If the modulus has a factor in common with base b, too.
        """
        super().check_operands(x, y, modulus)
        self.rns.bases.check_modulus(modulus)

    def multipliers(self, technology):
        return self.u * Rower.blocks_of(technology, self.word_width, self.rns.reduction)

    def create(self):
        return Multiplier(self)
