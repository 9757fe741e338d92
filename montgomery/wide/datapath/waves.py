"""A dataflow on numbers: what its registers hold, clock by clock, as far as the result needs it."""

from . import ranges

__all__ = ["Wave", "Waves"]


def _clockwise(function):
    """Return the function of waves that applies a function of a number in each clock."""
    return staticmethod(lambda wave: Wave(lambda clock: function(wave.at(clock))))


class Wave:
    """A number in each clock, an :class:`int` or a :class:`~.ranges.Range`; a bit is 0 or 1.

    Attributes
    ----------
    at : function
        From a clock to the number.
    """

    def __init__(self, at):
        self.at = at

    def __add__(self, other):
        a, b = self.at, _wave(other).at
        return Wave(lambda clock: a(clock) + b(clock))

    __radd__ = __add__

    def __sub__(self, other):
        a, b = self.at, _wave(other).at
        return Wave(lambda clock: a(clock) - b(clock))

    def __lshift__(self, bits):
        return Wave(lambda clock: self.at(clock) << bits)

    def __and__(self, other):
        return Wave(lambda clock: self.at(clock) & other.at(clock))

    def __or__(self, other):
        return Wave(lambda clock: self.at(clock) | other.at(clock))

    def __invert__(self):
        return Wave(lambda clock: 1 - self.at(clock))


def _wave(value):
    """Return a wave as it is; an integer in all clocks."""
    return value if isinstance(value, Wave) else Wave(lambda clock: value)


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

    Parameters
    ----------
    x, y : list of :class:`int` or of :class:`~.ranges.Range`
        Digits.
    short : :class:`bool`
        The product is a short one.

    Attributes
    ----------
    registers : :class:`dict`
        By name.
    """

    def __init__(self, x, y, short):
        self._x, self._y, self.registers, self.held = x, y, {}, []
        self.start, self.short = Wave(lambda clock: int(clock == 0)), Wave(lambda clock: int(short))

    high, centred_low, centred_high = map(_clockwise, (
        ranges.high, ranges.centred_low, ranges.centred_high))
    low_less_half = _clockwise(lambda number: ranges.low(number) - ranges.HALF)

    @staticmethod
    def low(value, above=0):
        at, above = value.at, _wave(above).at
        return Wave(lambda clock: ranges.low(at(clock)) + (above(clock) << ranges.BASE))

    @staticmethod
    def any(*bits):
        return Wave(lambda clock: int(any(bit.at(clock) for bit in bits)))

    def add_carry(self, number, below, sign=1):
        carry = self.centred_high(below)
        return number + carry if sign > 0 else number - carry

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

    def times(self, number, a, b):
        return Wave(lambda clock: number.at(clock) * (a + b))

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

    def chosen(self, bit, value):
        bit, value = bit.at, _wave(value).at
        return Wave(lambda clock: 0 if bit(clock) == 0 else bit(clock) * value(clock))

    def valid(self, bit):
        pass

    def result(self, place, value):
        self.register("out", place, value=value)

    def hold(self, register, ago):
        self.held.append((register, ago))
