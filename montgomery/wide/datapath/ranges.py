"""Digits of integers, and of intervals: one piece of code computes on both."""

__all__ = ["BASE", "DIGIT_BITS", "HALF", "RESULT_BITS", "Range", "as_range", "centred_digits",
           "centred_high", "centred_low", "high", "low", "to_digits", "value"]

#: Bits of a digit's place.
BASE = 16
#: Bits of a signed digit of an operand, and of a result.
DIGIT_BITS, RESULT_BITS = 18, 17
#: Half of a place.
HALF = 1 << BASE - 1


class Range:
    """All integers from ``low`` to ``high``."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __add__(self, other):
        other = as_range(other)
        return Range(self.low + other.low, self.high + other.high)

    __radd__ = __add__

    def __neg__(self):
        return Range(-self.high, -self.low)

    def __sub__(self, other):
        return self + -as_range(other)

    def __rsub__(self, other):
        return as_range(other) - self

    def __mul__(self, other):
        other = as_range(other)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(ends), max(ends))

    __rmul__ = __mul__

    def __lshift__(self, bits):
        return self * (1 << bits)

    def __or__(self, other):
        other = as_range(other)
        return Range(min(self.low, other.low), max(self.high, other.high))

    def __contains__(self, value):
        return self.low <= value <= self.high

    def __repr__(self):
        return f"Range({self.low}, {self.high})"

    @property
    def width(self):
        """Bits of a signed number that holds any of them."""
        return 1 + max((end if end >= 0 else ~end).bit_length() for end in (self.low, self.high))


def as_range(value):
    """Return the range of a single integer; a range as it is."""
    return value if isinstance(value, Range) else Range(value, value)


def low(value):
    """Return the lower digit, from 0 to 2**16 - 1."""
    return Range(0, (1 << BASE) - 1) if isinstance(value, Range) else value & (1 << BASE) - 1


def high(value):
    """Return what :func:`low` leaves, divided by 2**16."""
    if isinstance(value, Range):
        return Range(value.low >> BASE, value.high >> BASE)
    return value >> BASE


def centred_low(value):
    """Return the lower digit, from -2**15 to 2**15 - 1."""
    half = 1 << BASE - 1
    return Range(-half, half - 1) if isinstance(value, Range) else low(value + half) - half


def centred_high(value):
    """Return what :func:`centred_low` leaves, divided by 2**16."""
    return high(value + (1 << BASE - 1))


def value(digits):
    """Return the number of digits."""
    return sum(digit << BASE * place for place, digit in enumerate(digits))


def centred_digits(number, count):
    """Return so many digits of a number, from -2**15 to 2**15 - 1 but for the highest one."""
    digits = []
    for _ in range(count - 1):
        digits.append(centred_low(number))
        number = centred_high(number)
    return [*digits, number]


def to_digits(number, count):
    """Return so many digits of a number, from 0 to 2**16 - 1 but for the highest one."""
    return [*(low(number >> BASE * place) for place in range(count - 1)),
            number >> BASE * (count - 1)]
