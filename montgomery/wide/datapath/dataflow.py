"""What all dataflows have in common that multiply modulo a fixed prime, and what computes them."""

import functools
import operator

from ...core import Products
from . import ranges
from .ranges import BASE, DIGIT_BITS, Range, as_range

__all__ = ["Dataflow", "Wave"]


class Dataflow:
    """Registers and sums that multiply modulo a prime, and in which clock what is done.

    Some digits of x are multiplied by all of y in each clock. Products are cut into a lower and an
    upper half, so that columns are short.

    A subclass describes itself once, by the operations of a *flow*: of :class:`Waves`,
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

    The result is there in clock ``latency``, that of a short product in clock ``short``, which is 0
    if there are none. Products are divided by ``r``.
    """

    r = 1

    def __init__(self, prime, per_clock):
        self.prime = prime
        self.per_clock = per_clock  # digits of x that are multiplied in a clock: 2 or 4
        self.interval = prime.digits // per_clock  # clocks for all digits of x
        # Levels of adders for the two halves of the products at a place.
        self.levels = per_clock.bit_length()
        # Clock of the first sums: after a register for x, three in blocks, and the adders'.
        self.first = 1 + 3 + self.levels + 1
        # What short products are divided by, of which a factor is in the highest digits of x.
        self.short_divisor = 1 << BASE * (prime.digits - per_clock)
        # What is multiplied in each clock. A signed number has a bit more than an unsigned one.
        self.products = Products(per_clock * prime.digits, DIGIT_BITS - 1, DIGIT_BITS - 1)
        # What is added at each place, a list of (digit of x, digit of y, high half or not). The
        # halves of a pair of products that are added first come from blocks that are neighbours.
        self.places = [[] for _ in range(prime.digits + per_clock)]
        for first in range(0, per_clock, 2):
            for half in (False, True):
                for a in (first, first + 1):
                    for j in range(prime.digits):
                        self.places[a + j + half].append((a, j, half))

    def describe(self, flow):
        """Describe the registers, and what is between them."""
        raise NotImplementedError

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


def _clockwise(function):
    """Return the function of waves that applies a function of numbers in each clock."""
    def applied(*values):
        each = [value.at if isinstance(value, Wave) else lambda clock, number=value: number
                for value in values]
        return Wave(lambda clock: function(*[at(clock) for at in each]))

    return applied


class Wave:
    """A number in each clock, an :class:`int` or a :class:`~.ranges.Range`; a bit is 0 or 1.

    ``at`` gives the number in a clock.
    """

    def __init__(self, at):
        self.at = at

    __add__ = __radd__ = _clockwise(operator.add)
    __sub__, __lshift__ = _clockwise(operator.sub), _clockwise(operator.lshift)
    __mul__ = __rmul__ = _clockwise(operator.mul)
    __and__, __or__ = _clockwise(operator.and_), _clockwise(operator.or_)
    __invert__ = _clockwise(lambda bit: 1 - bit)


class _Register(Wave):
    """What holds a number; ``values`` are those that were asked for, by clock."""

    def __init__(self):
        super().__init__(self._held)
        self.values = {}

    def _held(self, clock):
        if clock not in self.values:
            self.values[clock] = self.next(clock)
        return self.values[clock]


class Waves:
    """What a dataflow is described with, see :class:`~.dataflow.Dataflow`, to compute a product.

    The product begins in clock 0, and the ones before and after it are unknown. A number is
    computed when it is asked for, and the digits of the result ask for all that they follow from.
    """

    def __init__(self, x, y, short):
        self._x, self._y, self.registers, self.held = x, y, {}, []
        self.start, self.short = Wave(lambda clock: int(clock == 0)), Wave(lambda clock: int(short))

    low = staticmethod(_clockwise(
        lambda value, above=0: ranges.low(value) + (above << ranges.BASE)))
    high, centred_low, centred_high = map(staticmethod, map(_clockwise, (
        ranges.high, ranges.centred_low, ranges.centred_high)))
    low_less_half = staticmethod(_clockwise(lambda value: ranges.low(value) - ranges.HALF))
    times = staticmethod(_clockwise(lambda value, a, b: value * (a + b)))
    add_carry = staticmethod(_clockwise(
        lambda a, below, sign=1: a + sign * ranges.centred_high(below)))
    any = staticmethod(_clockwise(lambda *bits: int(any(bits))))

    @staticmethod
    def chosen(bit, value):
        # Without the bit the value may be one that is unknown.
        return Wave(lambda clock: 0 if bit.at(clock) == 0 else (value * bit).at(clock))

    def products(self, order, step):
        count = len(self._x)

        def product(a, j):
            def at(clock):
                # A register for x, and three in a block.
                first = step * (clock - 4) if step > 0 else count + step * (clock - 3)
                if not 0 <= first < count:
                    raise ValueError(f"clock {clock} has no products")
                return self._x[first + a] * self._y[j]
            return Wave(at)

        return [[product(a, j) for j in range(count)] for a in range(abs(step))]

    def register(self, *name, value=None):
        register = self.registers[name] = _Register()
        if value is not None:
            self.set(register, value)
        return register

    def set(self, register, value, *, clocks=1):
        register.next = lambda clock: value.at(clock - clocks)

    def replace(self, register, number, bit):
        following = register.next
        register.next = lambda clock: number if bit.at(clock - 1) else following(clock)

    def delays(self, value, clocks, name, number=0):
        return [Wave(lambda clock, ago=ago: value.at(clock - ago)) for ago in range(clocks + 1)]

    def later(self, value, clocks, name):
        return self.delays(value, clocks, name)[-1]

    def owned(self, bit, name):
        return self.later(bit, 1, name)

    def gated(self, name, a, b, gate, *, own=None, negate=False):
        counts = self.owned(gate, own) if own else gate
        gated = self.chosen(counts, b)
        return gated - a if negate else gated + a

    def valid(self, bit):
        pass

    def result(self, place, value):
        self.register("out", place, value=value)

    def hold(self, register, ago):
        self.held.append((register, ago))
