"""Sums with a carry, and values of a certain width."""

from amaranth.hdl import C, Cat

__all__ = ["add_with_carry", "padded"]


def add_with_carry(a, b, carry):
    """Return ``a + b + carry``, one bit longer, by one carry chain.

    Synthesis makes two chains of a sum of three, or full adders in front of one chain.
    """
    return (Cat(C(1, 1), a) + Cat(carry, b))[1:]


def padded(value, width):
    """Return ``value`` with zeros above it; the ports of an instance are not extended."""
    return Cat(value, C(0, width - len(value)))
