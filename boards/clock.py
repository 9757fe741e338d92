"""The clock of a design: the board's clock, or the output of a PLL."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import TYPE_CHECKING

from amaranth.lib import io

from .families import families
from .pll import Clock, ClockError, Pll

if TYPE_CHECKING:
    from amaranth.hdl import Module, Signal

    from .catalogue import Board

__all__ = ["Direct", "clock_for", "pll_of"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Direct(Clock):
    """The board's clock, without a PLL."""

    @property
    def output_mhz(self) -> Fraction:
        return self.input_mhz

    def connect(self, m: Module, port: io.PortLike, output: Signal, locked: Signal,
                board: Board) -> None:
        m.submodules.buffer = buffer = io.Buffer("i", port)
        m.d.comb += [output.eq(buffer.i), locked.eq(1)]


def pll_of(board: Board) -> type[Pll] | None:
    """Return the PLL of a board's FPGA; None if the package has none that can be used."""
    family = families()[board.family]
    return None if (board.device, board.package) in family.without_pll else family.pll


def clock_for(board: Board, mhz: float) -> Clock:
    """Return the clock of a board with the highest frequency that is not above ``mhz``.

    Raises
    ------
    ClockError
        If there is no such clock; the message names the slowest one.
    """
    if not math.isfinite(mhz):
        raise ClockError(f"Clock must be a number of MHz, not {mhz}")
    # The frequencies that were meant: 3.3, not the binary number nearest to it.
    own, wanted = (Fraction(value).limit_denominator(1_000_000)
                   for value in (board.clock_mhz, mhz))
    pll = pll_of(board)
    candidates: list[Clock] = [Direct(input_mhz=own)] if own <= wanted else []
    if pll and own != wanted and (made := pll.below(own, wanted)):
        candidates.append(made)
    if not candidates:
        slowest = pll.slowest(own) if pll else None
        least = float(min(own, slowest.output_mhz) if slowest else own)
        raise ClockError(f"Clock of {board.name} must be {least:g} MHz or more, not {mhz:g}; the "
                         f"nearest one is {least:g}")
    return max(candidates, key=lambda clock: clock.output_mhz)
