"""Values some clocks late."""

from amaranth.hdl import Signal

__all__ = ["delays", "later"]


def delays(m, value, clocks, name, *, reset_less=True, number=0, init=0):
    """Return ``value`` and the registers that hold it 1, 2 … ``clocks`` clocks later.

    Parameters
    ----------
    name, number : :class:`str`, :class:`int`
        The registers are called by the name, and numbers from this one.
    reset_less : :class:`bool`
        What is in the registers does not matter after a reset.
    init : :class:`int`
        What is in the registers at first, and after a reset unless they are ``reset_less``.
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
