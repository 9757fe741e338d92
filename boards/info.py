"""A board's description of itself, and the result of an operation."""

from __future__ import annotations

import dataclasses
import json
from typing import Self

from montgomery import KINDS, CoreParameters

from .port import BoardError, one_line
from .top import BAUD
from .uart import LEAST_DIVISOR

__all__ = ["Info", "Result", "Signature"]

#: Of the clock that a board may say, in Hz. No board's PLL makes a slower one, for which a host
#: would wait hours for an operation. A simulated board has the least for the usual line.
_SLOWEST, _FASTEST = {False: 10**6, True: LEAST_DIVISOR * BAUD}, 10**9


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
            simulated = bool(said.get("simulated"))
            if not _SLOWEST[simulated] <= clock_hz <= _FASTEST:
                raise ValueError(f"a clock of {clock_hz / 1e6:g} MHz cannot be")
            if not name.isprintable():
                raise ValueError("its name cannot be")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise BoardError(f"The board has a core that is not known here ({one_line(error)}); "
                             f"use the version that its bitstream was made with, or program it "
                             f"anew") from None
        return cls(parameters=core, clock_hz=clock_hz, simulated=simulated, board=name)


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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Signature:
    """A signature, checked with the public key; of ECDSA it has the DER form.

    Attributes
    ----------
    clocks : int
        Clocks of all operations, counted on the board.
    operations : int
        Number of operations on the board.
    """

    signature: bytes
    clocks: int
    operations: int = 1
