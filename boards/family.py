"""What bitstreams for a family of FPGAs take, beside what Amaranth knows of it."""

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
        As Amaranth's vendor support spells it, in lower case.
    placer, packer : str
        The programs that Amaranth runs after yosys, the second one of which makes the bitstream.
    ending : str
        Of the bitstream's file.
    target : callable
        Returns the name that measurements have for the FPGA of a board.
    oscillators : tuple of str
        Clocks that are on the FPGA itself, and drift by more than a serial port bears.
    levels : dict from str to str
        Attributes of pins for levels of 3.3 V.
    pll : type or None
        A :class:`~boards.pll.Pll`; None if boards run on their own clock.
    without_pll : frozenset of tuple of str
        Devices with packages in which the PLL cannot be used.
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
