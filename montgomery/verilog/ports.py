"""The ports of a module in Verilog, by the names that a description gives them."""

from collections.abc import Iterable

from amaranth.hdl import Const, Module, ResetSignal, Signal, Value

from .netlist import Netlist

__all__ = ["Ports"]


class Ports:
    """The ports of a netlist; each input has to be connected.

    The reset is active in the first clock as well, since registers of a core that relies on one
    begin with any value.

    Parameters
    ----------
    m : Module
        Where inputs are driven.
    netlist : Netlist
    reset : str or None
        Name of the port that is driven by the reset of the domain ``sync``, if there is one.

    Attributes
    ----------
    ready : Value
        Whether the first clock is over.
    """

    def __init__(self, m: Module, netlist: Netlist, reset: str | None) -> None:
        self._m, self._netlist = m, netlist
        self._open = set(netlist.inputs)
        self.ready = Const(1, 1)
        if reset is not None:
            self.ready = Signal(name="was_reset", reset_less=True)
            m.d.sync += self.ready.eq(1)
            self.give(reset, ResetSignal("sync") | ~self.ready)

    def give(self, name: str, value: Value, bits: int = 1) -> None:
        """Drive an input, with ``!`` before the name the other way round.

        Raises
        ------
        ValueError
            If there is none of that name, or it has fewer than ``bits`` bits.
        """
        port = self._found(name, self._netlist.inputs, "input", bits)
        self._m.d.comb += port.eq(~value if name.startswith("!") else value)
        self._open.discard(name.removeprefix("!"))

    def take(self, name: str, bits: int = 1) -> Value:
        """Return an output, with ``!`` before the name the other way round; errors as above."""
        port = self._found(name, self._netlist.outputs, "output", bits)
        return ~port if name.startswith("!") else port

    def _found(self, name: str, ports, direction: str, bits: int):
        name = name.removeprefix("!")
        if name not in ports:
            raise ValueError(f"{self._netlist.name} has no {direction} {name}; it has "
                             f"{_some(sorted(ports))}")
        if len(ports[name]) < bits:
            raise ValueError(f"Port {name} of {self._netlist.name} has {len(ports[name])} bits, "
                             f"and must have at least {bits}")
        return ports[name]

    def check(self) -> None:
        """Refuse inputs that nothing drives."""
        if self._open:
            raise ValueError(f"Nothing drives the input {_some(sorted(self._open))} of "
                             f"{self._netlist.name}; say in [inputs] what it is, such as "
                             f'{min(self._open)} = "0"')


def _some(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
