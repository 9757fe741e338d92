"""Signals by name; values some clocks late, or with a carry; and places that go round."""

from amaranth.hdl import C, Cat, Mux, Signal

__all__ = ["add_carry", "add_with_carry", "after", "at_last", "delays", "later", "padded",
           "signals"]


def signals(names, shape=1, *, reset_less=False):
    """Return a signal for each of the names, between which there are blanks."""
    return [Signal(shape, name=name, reset_less=reset_less) for name in names.split()]


def delays(m, value, clocks, name, *, reset_less=True, number=0, init=0):
    """Return ``value`` and the registers that hold it 1, 2 … ``clocks`` clocks later.

    The registers are called by the name, and numbers from ``number`` on. If they are not
    ``reset_less`` they are ``init`` after a reset.
    """
    copies = [value]
    for index in range(clocks):
        register = Signal(len(value), name=f"{name}_{number + index}", reset_less=reset_less,
                          init=init)
        m.d.sync += register.eq(copies[-1])
        copies.append(register)
    return copies


def later(m, value, clocks, name, *, reset_less=True, number=0, init=0):
    """Return ``value``, some clocks late; see :func:`delays`."""
    return delays(m, value, clocks, name, reset_less=reset_less, number=number, init=init)[-1]


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


def at_last(place, count):
    """Return whether a place is the last one of so many."""
    return place.all() if 1 << len(place) == count else place == count - 1


def padded(value, width):
    """Return ``value`` with zeros above it; the ports of an instance are not extended."""
    return Cat(value, C(0, width - len(value)))
