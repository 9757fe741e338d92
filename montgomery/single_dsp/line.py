"""Shift registers for what is decided once and acted on later."""

from amaranth.hdl import Module, Signal

__all__ = ["Line"]


class Line:
    """Signals of one bit that follow what is issued, clock by clock.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
        Gets a submodule ``line`` with the registers, so that they are outside of its conditions.
    """

    def __init__(self, m):
        m.submodules.line = self._m = Module()
        self._late = {}

    def after(self, clocks, **named):
        """Return a value, ``clocks`` later, 1 or more.

        Parameters
        ----------
        named
            One value by its name; all that are asked for by that name share the registers.
        """
        (name, value), = named.items()
        late = self._late.setdefault(name, [value])
        while len(late) <= clocks:
            late.append(Signal(name=f"{name}_{len(late)}"))
            self._m.d.sync += late[-1].eq(late[-2])
        return late[clocks]
