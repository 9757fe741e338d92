"""A dataflow on numbers: what its registers hold, clock by clock, as far as the result needs it."""

import operator

from . import ranges

__all__ = ["Wave", "Waves"]


def _clockwise(function):
    """Return the function of waves that applies a function of numbers in each clock."""
    def applied(*values):
        each = [value.at if isinstance(value, Wave) else lambda clock, number=value: number
                for value in values]
        return Wave(lambda clock: function(*[at(clock) for at in each]))

    return applied


class Wave:
    """A number in each clock, an :class:`int` or a :class:`~.ranges.Range`; a bit is 0 or 1.

    Attributes
    ----------
    at : function
        From a clock to the number.
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

    Attributes
    ----------
    registers : :class:`dict`
        By name.
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
