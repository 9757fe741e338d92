"""What a board says of itself, and of an operation."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Self

from montgomery import KINDS, CoreParameters

from .port import BoardError, one_line

__all__ = ["Info", "Result"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Info:
    """What a board says of itself.

    Attributes
    ----------
    parameters : CoreParameters
        Of the core on it.
    clock_hz, baud : int
        Of the core and of the line.
    simulated : bool
        There is no board, but a program in its place; then times are not those of ``clock_hz``.
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
        """Return what the payload of a reply says.

        Raises
        ------
        BoardError
            If it is about a core that is not known here.
        """
        try:
            said = json.loads(payload)
            return cls(parameters=_parameters(said), clock_hz=int(said["clock_hz"]),
                       baud=int(said["baud"]), simulated=bool(said.get("simulated")),
                       board=str(said.get("board", "")))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise BoardError(f"The board has a core that is not known here ({one_line(error)}); "
                             f"use the version that its bitstream was made with, or program it "
                             f"anew") from None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Result:
    """Of one operation.

    Attributes
    ----------
    value : int
    clocks : int
        From the last word of the operands to the first one of the result, counted on the board.
    """

    value: int
    clocks: int


def _parameters(said: dict[str, Any]) -> CoreParameters:
    return KINDS[said["kind"]].cores()[said["arch"]](width=said["width"], **said["params"])
