"""The families of FPGAs for which bitstreams are built.

A family is one module of this package, which has ``FAMILY``, a :class:`Family`.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..catalogue import Board
    from ..clock import Pll

__all__ = ["Family", "families"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Family:
    """Facts about a family of FPGAs that its bitstreams need, and that Amaranth does not know.

    Attributes
    ----------
    name : str
        The spelling of Amaranth's vendor support, in lower case.
    placer, packer : str
        The programs that Amaranth runs after yosys; the packer makes the bitstream.
    ending : str
        Ending of the name of a bitstream's file.
    target : callable
        Returns the name of the target in measurements for the FPGA of a board.
    oscillators : tuple of str
        Clocks on the FPGA itself, which are too inaccurate for a serial port.
    levels : dict from str to str
        Attributes of pins for levels of 3.3 V.
    pll : :class:`~boards.clock.Pll`
    without_pll : frozenset of tuple of str
        Pairs of a device and a package in which the PLL cannot be used.
    """

    name: str
    placer: str
    packer: str
    ending: str
    target: Callable[[Board], str]
    oscillators: tuple[str, ...]
    levels: Mapping[str, str]
    pll: Pll
    without_pll: frozenset[tuple[str, str]] = frozenset()


@functools.cache
def families() -> Mapping[str, Family]:
    """Return the dictionary from name to :class:`Family`, sorted by name."""
    modules = sorted(info.name for info in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}").FAMILY for name in modules]
    return {family.name: family for family in found}
