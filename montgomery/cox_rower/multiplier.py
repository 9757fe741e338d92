"""The multiplier of the Cox-Rower; and what it and the other cores are made with."""

import dataclasses
import functools

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.fifo import SyncFIFO

from ..blocks.values import signals
from ..core import About, Core, Cycles, Field, Message, Number, Traits, parameter
from ..kinds.multiplier import Multiplier
from .bases import smallest_size
from .control import ControlProgram, Layout
from .ring import Load, RowerRing
from .rns import rns_of_lengths
from .rower import products
from .schedule import latency_of, multiplication

__all__ = ["PAPER", "CoxRowerMultiplier", "Parameters", "RowerParameters", "listed"]

PAPER = ("Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS "
         "Montgomery Multiplication")


def listed(name, elements):
    """Return the :class:`~montgomery.core.Number` of a list of elements of a base."""
    rows = (map(hex, elements[start:start + 6]) for start in range(0, len(elements), 6))
    body = "".join(f"    {', '.join(row)},\n" for row in rows)
    return Number(name, f"the {len(elements)} elements of base {name}", f"[\n{body}]")


@dataclasses.dataclass(frozen=True, kw_only=True)
class RowerParameters:
    """Parameters of what has Rowers, beside those of its kind.

    A core gives for each base size, in rising order, a list of ``programs``, each a
    :class:`~montgomery.cox_rower.control.ControlProgram`.

    Moduli that share a factor with base b are refused. No modulus does up to ``word_width - 3``
    bits, where base b is 2**r alone, nor does one whose prime factors all have more than
    ``word_width`` bits.

    There are ``rowers`` Rowers, or as many as there have to be elements in a base, if these are
    fewer. A base size n is the smallest multiple of their number u that is large enough.
    """

    word_width: int = parameter(32, "bits per residue and per word of the streams", minimum=6,
                                maximum=36)
    rowers: int = parameter(11, "largest number of parallel units", minimum=1, maximum=256)

    def _check_parameters(self):
        _ = self.sets  # refuses bases that there are not

    @property
    def lengths(self):
        """Bits of the moduli for which there are bases, in falling order."""
        return (self.width,)

    @functools.cached_property
    def u(self):
        """Number of Rowers."""
        return min(self.rowers, smallest_size(max(self.lengths), self.word_width, 1))

    @functools.cached_property
    def sets(self):
        """The :class:`~montgomery.cox_rower.rns.Rns` of each base size, in rising order."""
        return rns_of_lengths(self.word_width, self.u, self.lengths)

    @property
    def bases(self):
        """The :class:`~montgomery.cox_rower.bases.BaseSet` of each size."""
        return tuple(rns.bases for rns in self.sets)

    @property
    def latency(self):
        """Clocks of a Rower's pipeline: those for the largest bases, which take the longest."""
        return latency_of(self.bases[-1].n, self.u)


class CoxRowerMultiplier(Core):
    """Parallel units in a ring, the Rowers, which multiply in a residue number system.

    A number is the list of its remainders modulo the elements of two bases, and numbers are
    multiplied remainder by remainder, without a carry between them. Montgomery's reduction divides
    by the product of base B; it converts a number from one base to the other, and back.

    Each Rower serves some elements of either base. In each clock it multiplies two remainders, adds
    the product to a sum, and reduces sums modulo an element. For a conversion the Rowers hand
    remainders round in the ring, and the Cox, an adder of the upper bits of these, finds the
    multiple of a base's product that has to be subtracted.

    A key is received into a queue as soon as the result before it is ready, and goes to the Rowers
    when that has been taken. Words go to the Rowers one a clock. A result comes a word every other
    clock, with a pause for each row of it, and the next operands go in after it.

    Latency: the clocks of the program, about 2 n**2 / u for n elements in either base on u Rowers.
    Throughput: one multiplication at a time.
    """

    def elaborate(self, platform):
        m = Module()
        p = self.params
        # Number 1 by number 2 to number 1; number 0 is the key.
        m.submodules.ring = ring = RowerRing(
            p, loads=(Load(1, 4 * p.slots), Load(0, 2 * p.slots, runs=False)), rows_out=2 * p.slots)
        wiring.connect(m, ring.o, wiring.flipped(self.o))
        m.submodules.queue = queue = SyncFIFO(width=p.word_width, depth=p.k_words)

        # -- Keys, which wait in the queue for the Rowers. No operation begins while one is coming.
        has_key, under_way = signals("has_key under_way")
        key_offered = Signal(name="key_offered")  # in the clock before
        left = Signal(range(p.k_words), name="left", init=p.k_words - 1)
        m.d.comb += [
            self.k.ready.eq(queue.w_rdy & ~under_way & (key_offered | ~self.i.valid | ~has_key)),
            queue.w_data.eq(self.k.payload), queue.w_en.eq(self.k.valid & self.k.ready)]
        m.d.sync += key_offered.eq(self.k.valid)
        with m.If(queue.w_en):
            m.d.sync += [left.eq(Mux(left == 0, p.k_words - 1, left - 1)), has_key.eq(left == 0)]

        # -- What the next word of the Rowers is of.
        loads_key, loaded_key, may_begin = signals("loads_key loaded_key may_begin")
        m.d.comb += [
            loads_key.eq(Mux(ring.fresh, queue.r_rdy, loaded_key)),
            may_begin.eq(~loads_key & (~ring.fresh | (has_key & ~key_offered))),
            ring.load.eq(loads_key),
            ring.i.payload.eq(Mux(loads_key, queue.r_data, self.i.payload)),
            ring.i.valid.eq(Mux(loads_key, queue.r_rdy, self.i.valid & may_begin)),
            queue.r_en.eq(loads_key & ring.i.ready),
            self.i.ready.eq(may_begin & ring.i.ready),
        ]
        m.d.sync += loaded_key.eq(loads_key)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += under_way.eq(1)
        with m.Elif(self.o.valid):
            m.d.sync += under_way.eq(0)
        m.d.comb += [ring.next.x.eq(1), ring.next.y.eq(2), ring.next.target.eq(1),
                     ring.next.last.eq(1)]
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(RowerParameters, Multiplier):
    """Parameters of :class:`CoxRowerMultiplier`.

    Operands and results are residues on the streams, as they are inside an exponentiation: the
    modulus itself is not sent, but the key that :meth:`~montgomery.cox_rower.rns.Rns.key` makes of
    it. Conversions, which an exponentiation has once, are not counted in a multiplication.
    """

    _about = About(
        source=f"{PAPER}; Figures 1, 2 and 6 to 8",
        summary="residue number system on parallel units in a ring",
        uses_blocks=True,
        quick_width=32)

    @property
    def rns(self):
        """The :class:`~montgomery.cox_rower.rns.Rns`."""
        return self.sets[0]

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

    @functools.cached_property
    def programs(self):
        n = self.rns.bases.n
        return [[ControlProgram(multiplication(n, self.u, self.latency), Layout((n,), self.u, 3))]]

    @property
    def cycles(self):
        load, rows = self.i_words, 2 * self.slots
        compute = RowerRing.START + self.programs[0][0].clocks(1) + RowerRing.FETCH
        # A word every other clock, and FETCH more for each row but the first.
        unload = 2 * rows * (self.u - 1) + 1 + (rows - 1) * (1 + RowerRing.FETCH)
        # The first word of a key is in the queue for a clock, the others no longer than in turn.
        return Cycles(load_key=self.k_words + 1, load=load, compute=compute,
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
        return rns.product(rns.residues(x), rns.residues(y), rns.key(modulus))

    def compute(self, x, y, modulus):
        return self.rns.value(self._product(x, y, modulus))

    def _expected_words(self, result, x, y, modulus):
        # Residues need not be below the elements.
        residues = self._product(x, y, modulus)
        return self.ordered(residues.a) + self.ordered(residues.b)

    def create(self):
        return CoxRowerMultiplier(self)
