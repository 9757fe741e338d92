"""Parameters of the multiplier."""

import dataclasses
import functools

from ..core import About, Cycles, Field, Message, Number, Traits, parameter
from ..kinds.multiplier import Multiplier as _Multiplier
from .bases import find_bases
from .control import Program
from .key import prepare
from .layout import Layout
from .multiplier_component import Multiplier
from .rns import Rns
from .rower import products
from .schedule import schedule
from .sequencer import Sequencer
from .sets import smallest_size
from .stages import STAGES

__all__ = ["Parameters", "latency_of", "listed"]


@functools.cache
def _rns(r, n):
    return Rns(find_bases(r, n))


@functools.lru_cache(maxsize=64)  # the modulus of a product is public, unlike a factor of one
def _key(rns, modulus):
    """Return the key of a modulus with residues that are below the elements, as they are sent."""
    key, bases = prepare(rns, modulus), rns.bases

    def below(residues, elements):
        return tuple(each % element for each, element in zip(residues, elements, strict=True))

    return dataclasses.replace(key, to_xi=below(key.to_xi, bases.b),
                               t_to_xi=below(key.t_to_xi, bases.a))


def listed(name, elements):
    """Return the :class:`~montgomery.core.Number` of a list of elements of a base."""
    rows = (map(hex, elements[start:start + 6]) for start in range(0, len(elements), 6))
    body = "".join(f"    {', '.join(row)},\n" for row in rows)
    return Number(name, f"the {len(elements)} elements of base {name}", f"[\n{body}]")


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

    _about = About(
        source="Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
               "Montgomery Multiplication; Figures 1, 2 and 6 to 8",
        summary="residue number system on parallel units in a ring",
        uses_blocks=True,
        quick_width=32)

    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1,
                            maximum=256)

    def _check_parameters(self):
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

    @functools.cached_property
    def _traits(self):
        return Traits(initiation=self.cycles.interval, coprime_to=self.r,
                      products=products(self.u, self.word_width, self.rns.reduction))

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
    def _numbers(self):
        bases = self.rns.bases
        return (listed("A", self.ordered(bases.a)), listed("B", self.ordered(bases.b)),
                Number("R", "the product of the elements of base B, which are listed below",
                       "math.prod(B)"))

    @property
    def operands(self):
        return Message(self.word_width, tuple(
            Field(name, self.result_words, f"the {ordinal} factor {name}, below the bound, by its "
                  f"remainders: {name} mod each element of base A, and then of base B",
                  f"[{name} % e for e in A + B]", listed=True)
            for name, ordinal in (("x", "first"), ("y", "second"))), self._numbers)

    @property
    def key_operands(self):
        n = self.rns.bases.n
        return Message(self.word_width, (
            Field("t_to_xi", n, "m (B A / a)⁻¹ mod a, for each element a of base A: a word each. "
                  "A and B stand for the products of their elements here.",
                  "[modulus * pow(R * (math.prod(A) // a), -1, a) % a for a in A]", listed=True),
            Field("to_xi", n, "-(m B / b)⁻¹ mod b, for each element b of base B: a word each",
                  "[-pow(modulus * (R // b), -1, b) % b for b in B]", listed=True)), self._numbers)

    @property
    def _results(self):
        return Message(self.word_width, (
            Field("result", self.result_words, "the result by its remainders: modulo each element "
                  "of base A, and then of base B", "[result % e for e in A + B]", listed=True),),
            (*self._numbers, Number("AB", "the product of all elements", "math.prod(A + B)")),
            value="sum(word * pow(AB // e, -1, e) * (AB // e) for word, e in zip(words, A + B)) "
                  "% AB")

    @property
    def result_words(self):
        return 2 * self.rns.bases.n

    def ordered(self, elements):
        """Return the elements of a base in the order of the streams.

        Rower i has elements i, i + u and so on. Of each row, the last Rower comes first.
        """
        return [elements[row * self.u + index] for row in range(self.slots)
                for index in reversed(range(self.u))]

    def _product(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        rns = self.rns
        return rns.product(rns.residues(x), rns.residues(y), _key(rns, modulus))

    def compute(self, x, y, modulus):
        return self.rns.value(self._product(x, y, modulus))

    def _expected_words(self, result, x, y, modulus):
        # Residues need not be below the elements.
        residues = self._product(x, y, modulus)
        return self.ordered(residues.a) + self.ordered(residues.b)

    def create(self):
        return Multiplier(self)
