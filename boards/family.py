"""Facts about a family of FPGAs that its bitstreams need, and that Amaranth does not know."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .catalogue import Board
    from .pll import Pll

__all__ = ["Family"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Family:
    """A family of FPGAs on boards.

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
    pll : type or None
        A :class:`~boards.pll.Pll`; None if designs use the board's clock only.
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
    pll: type[Pll] | None = None
    without_pll: frozenset[tuple[str, str]] = frozenset()
