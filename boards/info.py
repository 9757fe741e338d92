"""A board's description of itself, and the result of an operation."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Self

from montgomery import KINDS, CoreParameters

from .port import BoardError, one_line

__all__ = ["Info", "Result"]

#: What a board may say of its clock and its line, in Hz and baud. With slower ones the computed
#: time limit of an operation would be hours.
_CLOCKS, _BAUDS = range(1_000, 10**10), range(300, 10**8)
_LONGEST_NAME = 64


@dataclasses.dataclass(frozen=True, kw_only=True)
class Info:
    """A board's description of itself.

    Attributes
    ----------
    parameters : CoreParameters
        Parameters of the core on the board.
    clock_hz, baud : int
        Frequency of the core's clock, and bits per second of the serial line.
    simulated : bool
        Whether a program simulates the board; then times do not follow from ``clock_hz``.
    board : str
        Name of the board, or empty.
    """

    parameters: CoreParameters
    clock_hz: int
    baud: int
    simulated: bool = False
    board: str = ""

    @classmethod
    def of(cls, payload: bytes) -> Self:
        """Return the description that the payload of a reply holds.

        Raises
        ------
        BoardError
            If it describes an unknown core.
        """
        try:
            said = json.loads(payload)
            return cls(parameters=_parameters(said), clock_hz=_number(said, "clock_hz", _CLOCKS),
                       baud=_number(said, "baud", _BAUDS), simulated=bool(said.get("simulated")),
                       board=_name(said.get("board", "")))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise BoardError(f"The board has a core that is not known here ({one_line(error)}); "
                             f"use the version that its bitstream was made with, or program it "
                             f"anew") from None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one operation.

    Attributes
    ----------
    value : int
    clocks : int
        Clocks from the last word of the operands to the first word of the result, counted on the
        board.
    """

    value: int
    clocks: int


def _number(said: dict[str, Any], name: str, allowed: range) -> int:
    value = said[name]
    if not isinstance(value, int) or value not in allowed:
        raise ValueError(f"{name} must be from {allowed.start} to {allowed[-1]}")
    return value


def _name(board: Any) -> str:
    if not isinstance(board, str) or len(board) > _LONGEST_NAME or not board.isprintable():
        raise ValueError(f"its name must have {_LONGEST_NAME} printable characters or fewer")
    return board


def _parameters(said: dict[str, Any]) -> CoreParameters:
    return KINDS[said["kind"]].cores()[said["arch"]](width=said["width"], **said["params"])
