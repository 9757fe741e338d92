"""Registers that a signal may reset, in the place of the clock domain."""

from amaranth.hdl import Signal, Value

__all__ = ["Resets"]


class Resets:
    """The registers of a module that have to be reset.

    The reset of a clock domain reaches all of it in one clock. In a part that has a reset of its
    own, from a register nearby, that one is not used.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
    reset : :class:`~amaranth.hdl.Signal` or None
        What resets them; None for that of the clock domain.
    """

    def __init__(self, m, reset=None):
        self._m, self._reset, self._registers = m, reset, []

    def register(self, shape=1, *, name, init=None):
        """Return a register."""
        signal = Signal(shape, name=name, init=init, reset_less=self._reset is not None)
        self._registers.append(Value.cast(signal))
        return signal

    def behind(self, *ports):
        """Return a register for each of ``ports``, which it drives."""
        registers = [self.register(port.shape(), name=port.name, init=port.init) for port in ports]
        self._m.d.comb += [port.eq(register)
                           for port, register in zip(ports, registers, strict=True)]
        return registers

    def close(self):
        """Add the reset, after all else that the registers are assigned."""
        if self._reset is not None:
            with self._m.If(self._reset):
                self._m.d.sync += [each.eq(each.init) for each in self._registers]
