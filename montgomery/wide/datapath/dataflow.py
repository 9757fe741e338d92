"""What all dataflows have in common that multiply modulo a fixed prime."""

import dataclasses
import functools

from ...core import Products
from .primes import FixedPrime
from .ranges import BASE, DIGIT_BITS, Range, as_range
from .waves import Waves

__all__ = ["Dataflow"]


@dataclasses.dataclass(frozen=True)
class Dataflow:
    """Registers and sums that multiply modulo a prime, and in which clock what is done.

    Some digits of x are multiplied by all of y in each clock. Products are cut into a lower and an
    upper half, so that columns are short.

    A subclass describes itself once, by the operations of a *flow*: of :class:`~.waves.Waves`,
    which computes a product of integers, or of intervals to find how wide each register has to be;
    or of :class:`~.core.Signals`, which makes hardware. Values of a flow have the operators ``+``,
    ``-`` and ``<<``, and bits ``&``, ``|`` and ``~``. A flow has

    ================================= =============================================================
    ``start``, ``short``              bits: a product begins; and it is a short one
    ``products(order, step)``         products by digit of x in a clock, and by digit of y; see
                                      :meth:`.core.Signals.products`
    ``low(value, above=0)``           ``value % 2**16 + 2**16 * above``
    ``high(value)``                   ``value >> 16``
    ``centred_low``, ``centred_high`` digits of a value, of which the lower one is from -2**15 on
    ``low_less_half(value)``          ``value % 2**16 - 2**15``
    ``times(value, a, b)``            ``value * (a + b)``, of two powers of two or less
    ``add_carry(a, below, sign)``     ``a + sign * centred_high(below)``, in one carry chain
    ``chosen(bit, value)``            ``value if bit else 0``
    ``any(*bits)``                    whether one of the bits is 1
    ``gated(name, a, b, gate)``       ``a + b if gate else a``, in one carry chain; with ``negate``
                                      ``-a``; with ``own`` the gate counts a clock later, from a
                                      register of that name
    ``register(*name, value=value)``  the value a clock later
    ``set(register, value)``          the same, of a register that was made without its value;
                                      with ``clocks=0`` it is a wire
    ``replace(register, n, bit)``     what is set is n where the bit is 1
    ``later(value, clocks, name)``    the value some clocks later
    ``delays(bit, clocks, name)``     a bit 0, 1 … clocks later
    ``owned(bit, name)``              a bit a clock later, in a register of its own
    ``valid(bit)``                    the bit says when the result is there
    ``result(place, value)``          the digit of the result is the value a clock later
    ``hold(register, clocks)``        a register is as wide as what it holds these clocks before
                                      the result, though no result follows from that
    ================================= =============================================================

    A register is as wide as the numbers that it holds on the way to a result. So a bit that lets in
    what belongs to the product before is an error, as those numbers are unknown; and so is a
    register from which no result follows.

    Attributes
    ----------
    short : :class:`int`
        Clock of the result of a short product; 0 if there are none.
    latency : :class:`int`
        Clock of the result.
    r : :class:`int`
        What products are divided by.
    """

    r = 1
    prime: FixedPrime
    per_clock: int  # digits of x that are multiplied in a clock: 2 or 4

    def describe(self, flow):
        """Describe the registers, and what is between them."""
        raise NotImplementedError

    @property
    def interval(self):
        """Clocks for all digits of x."""
        return self.prime.digits // self.per_clock

    @property
    def levels(self):
        """Levels of adders for the two halves of the products at a place."""
        return self.per_clock.bit_length()

    @property
    def first(self):
        """Clock of the first sums: after a register for x, three in blocks, and the adders'."""
        return 1 + 3 + self.levels + 1

    @property
    def short_divisor(self):
        """What short products are divided by, of which a factor is in the highest digits of x."""
        return 1 << BASE * (self.prime.digits - self.per_clock)

    @property
    def products(self):
        """What is multiplied in each clock, as :class:`~montgomery.core.Products`."""
        # A signed number has a bit more than an unsigned one.
        return Products(self.per_clock * self.prime.digits, DIGIT_BITS - 1, DIGIT_BITS - 1)

    @property
    def places(self):
        """What is added at each place, a list of (digit of x, digit of y, high half or not).

        The halves of a pair of products that are added first come from blocks that are neighbours.
        """
        places = [[] for _ in range(self.prime.digits + self.per_clock)]
        for first in range(0, self.per_clock, 2):
            for half in (False, True):
                for a in (first, first + 1):
                    for j in range(self.prime.digits):
                        places[a + j + half].append((a, j, half))
        return places

    def compute(self, x, y, *, short=False):
        """Return the digits of the result.

        Digits are integers or each a :class:`~.ranges.Range`, of ``DIGIT_BITS`` at most. A
        ``short`` product is that by the highest digits of x alone, as many as in a clock, as if
        they were the lowest ones.
        """
        found = self.trace(x, y, short=short)
        return [found["out", place][-1] for place in range(self.prime.digits)]

    def trace(self, x, y, *, short=False):
        """Return all that each register holds on the way to a result, by its name; see
        :meth:`compute`.
        """
        flow = Waves(x, y, short)
        self.describe(flow)
        results = [(flow.registers["out", place], 0) for place in range(self.prime.digits)]
        for register, ago in results + flow.held:
            register.at((self.short if short else self.latency) - ago)
        return {name: list(register.values.values())
                for name, register in flow.registers.items()}

    @functools.cached_property
    def bounds(self):
        """A :class:`~.ranges.Range` by name of register, for all digits of operands."""
        number = [Range(-(1 << DIGIT_BITS - 1), (1 << DIGIT_BITS - 1) - 1)] * self.prime.digits
        found = {}
        for short in (False, True)[:1 + bool(self.short)]:
            for name, values in self.trace(number, number, short=short).items():
                for value in values:
                    found[name] = found[name] | value if name in found else as_range(value)
        return found

    def _tree(self, flow, place, halves, product, more=()):
        """Return the sum of halves of products, and ``more``, by a tree of registers."""
        level = [*((flow.high if half else flow.low)(product[a][j]) for a, j, half in halves),
                 *more]
        for depth in range(1, self.levels + 1):
            level = [flow.register("tree", depth, place, index // 2,
                                   value=sum(level[index + 1:index + 2], level[index]))
                     for index in range(0, len(level), 2)]
        return level[0]

    def _carry(self, flow, digits, columns, lowest):
        """Give digits, the lower parts of columns, each with the upper part of the column below."""
        for place, digit in enumerate(digits):
            flow.result(place, flow.add_carry(digit, columns[place - 1]) if place else lowest)
