"""What all cores and designs that a TOML file describes have in common."""

import abc
import dataclasses
from collections.abc import Mapping
from typing import Any

from . import expressions
from .description import expressions as said_in
from .netlist import Netlist
from .reading import VHDL, read

__all__ = ["FromSources"]


class FromSources(abc.ABC):
    """Parameters, a dataclass, of a top module in Verilog."""

    @property
    @abc.abstractmethod
    def _description(self) -> Mapping[str, Any]:
        """What the file says."""

    @property
    def read_by(self) -> tuple[str, ...]:
        """The programs that read the sources."""
        is_vhdl = any(name.endswith(VHDL) for name in self._description["texts"])
        return ("yosys", "ghdl") if is_vhdl else ("yosys",)

    def value_of(self, key: str, **more: int) -> Any:
        """Return what the expression of a key is, of the parameters and of more.

        Parameters
        ----------
        key : :class:`str`
            As :func:`~.description.expressions` has it.

        Raises
        ------
        ValueError
            If it is no whole number; the text names the key.
        """
        return expressions.value_of(key, said_in(self._description)[key],
                                    {**dataclasses.asdict(self), **more})

    def netlist_of(self, clock: str, **more: int) -> Netlist:
        """Return the top module, as yosys reads it for these parameters.

        Parameters
        ----------
        clock : :class:`str`
            Name of the port with the clock.
        more : :class:`int`
            What expressions name beside the parameters.
        """
        said = self._description
        parameters = tuple((name, self.value_of(f"parameters.{name}", **more))
                           for name in said.get("parameters", {}))
        return Netlist(read(tuple(said["texts"].items()), said["top"], parameters,
                            said.get("library", "work")), name=said["top"], clock=clock)
