"""Sums with a carry, values of a certain width, and places that go round."""

from amaranth.hdl import C, Cat, Mux

__all__ = ["add_carry", "add_with_carry", "after", "padded"]


def add_with_carry(a, b, carry):
    """Return ``a + b + carry``, one bit longer, by one carry chain.

    Synthesis makes two chains of a sum of three, or full adders in front of one chain.
    """
    return (Cat(C(1, 1), a) + Cat(carry, b))[1:]


def add_carry(a, b, carry, sign=1):
    """Return ``a + b + carry`` or ``a - b - carry``, of signed numbers, by one carry chain."""
    a, b = Cat(C(int(sign > 0), 1), a).as_signed(), Cat(carry, b).as_signed()
    return (a + b if sign > 0 else a - b)[1:].as_signed()


def after(place, count, step=1):
    """Return the place a step of 0 or 1 after one of so many, which is 0 after the last one."""
    if 1 << len(place) == count:
        return place + step  # goes round by itself
    return Mux(step, Mux(place == count - 1, 0, place + 1), place)


def padded(value, width):
    """Return ``value`` with zeros above it; the ports of an instance are not extended."""
    return Cat(value, C(0, width - len(value)))
