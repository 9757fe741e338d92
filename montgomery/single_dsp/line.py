"""Shift registers for what is decided once and acted on later."""

from amaranth.hdl import Module

from .resets import Resets

__all__ = ["Line"]


class Line:
    """Signals of one bit that follow what is issued, clock by clock.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
        Gets a submodule ``line`` with the registers, so that they are outside of its conditions.
    reset : :class:`~amaranth.hdl.Signal` or None
        Of :class:`~montgomery.single_dsp.resets.Resets`.
    """

    def __init__(self, m, reset=None):
        m.submodules.line = self._m = Module()
        self._reset = reset
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
            resets = Resets(self._m, self._reset)
            late.append(resets.register(name=f"{name}_{len(late)}"))
            self._m.d.sync += late[-1].eq(late[-2])
            resets.close()
        return late[clocks]
