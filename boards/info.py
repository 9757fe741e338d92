"""A board's description of itself, and the result of an operation."""

from __future__ import annotations

import dataclasses
import json
from typing import Self

from montgomery import KINDS, CoreParameters

from .port import BoardError, one_line

__all__ = ["Info", "Result"]

#: Of the clock that a board may say, in Hz. With a slower one, operations would take hours.
_SLOWEST, _FASTEST = 1_000, 10**10


@dataclasses.dataclass(frozen=True, kw_only=True)
class Info:
    """A board's description of itself.

    Attributes
    ----------
    clock_hz : int
        Frequency of the core's clock.
    simulated : bool
        Whether a program simulates the board; then times do not follow from ``clock_hz``.
    board : str
        Name of the board, or empty.
    """

    parameters: CoreParameters
    clock_hz: int
    simulated: bool = False
    board: str = ""

    @classmethod
    def of(cls, payload: bytes) -> Self:
        """Return the description that the payload of a reply holds.

        Of an unknown core, or an impossible clock or name, it is refused by :exc:`.BoardError`.
        """
        try:
            said = json.loads(payload)
            core = KINDS[said["kind"]].cores()[said["arch"]](width=said["width"], **said["params"])
            clock_hz, name = said["clock_hz"], said.get("board", "")
            if not _SLOWEST <= clock_hz <= _FASTEST or not name.isprintable():
                raise ValueError("its clock or its name cannot be")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise BoardError(f"The board has a core that is not known here ({one_line(error)}); "
                             f"use the version that its bitstream was made with, or program it "
                             f"anew") from None
        return cls(parameters=core, clock_hz=clock_hz, simulated=bool(said.get("simulated")),
                   board=name)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one operation.

    Attributes
    ----------
    clocks : int
        Clocks from the last word of the operands to the first word of the result, counted on the
        board.
    """

    value: int
    clocks: int
