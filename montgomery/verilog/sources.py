"""What all cores and designs that a TOML file describes have in common."""

import abc
import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from .netlist import Netlist
from .reading import read

__all__ = ["FromSources"]


class FromSources(abc.ABC):
    """Parameters, a dataclass, of a top module in Verilog."""

    @property
    @abc.abstractmethod
    def _description(self) -> Mapping[str, Any]:
        """What the file says."""

    def value_of(self, expression: str, **more: int) -> Any:
        """Return what an expression of the parameters, and of more, is."""
        try:
            return eval(expression, {"math": math, **dataclasses.asdict(self), **more})
        except Exception as error:
            raise ValueError(f"{expression} has no value: {error}") from None

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
        parameters = tuple((name, self.value_of(value, **more) if isinstance(value, str) else value)
                           for name, value in said.get("parameters", {}).items())
        return Netlist(read(tuple(said["texts"].items()), said["top"], parameters,
                            said.get("library", "work")), name=said["top"], clock=clock)
