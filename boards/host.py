"""The host's side of a board, which speaks :mod:`boards.protocol` over a serial line.

>>> with Client("/dev/ttyUSB0") as board:
...     board.operate(base, exponent, modulus).value
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import secrets
import time
from typing import Any, Self

import serial

from montgomery import KINDS, CoreParameters, Parameters
from montgomery.core import LEAST_WIDTH, cycles_of, key_of, kind_of, name_of, results_of, traits

from .port import BoardError, NoReply, Port, one_line
from .protocol import (
    CLOCKS_BYTES,
    REPLY,
    SIZE_BYTES,
    VERSION,
    Frame,
    Problem,
    Type,
    packed,
    unpacked,
    word_bytes,
)
from .top import BAUD
from .uart import LEAST_DIVISOR

__all__ = ["BoardError", "Client", "Info", "NoReply", "Result"]

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


#: Bits that a byte takes on the line.
_BITS = 10
#: How often a request is sent, if its reply is missing or damaged.
_ATTEMPTS = 5
#: Time limits, as multiples of the computed time of a request, of a board and a simulated one.
_PATIENCE = {False: 2.0, True: 50.0}
#: Added to computed times: delays of the operating system, the adapter and the board.
_MARGIN_S = 0.5
#: How long complaints of damaged requests are no reason to give up, and when no more come at once.
_COMPLAINTS_S, _SILENCE_S = 5.0, 0.05

_DAMAGED = "the board says that requests come damaged"


@dataclasses.dataclass(frozen=True)
class _Request:
    """A request, the bytes in the payload of its reply if known, and the time the board takes."""

    frame: Frame
    reply_bytes: int | None = None
    work_s: float = 0.0


class Client:
    """A board at the other end of a serial line.

    Parameters
    ----------
    port, baud
        As of :class:`~boards.port.Port`.

    Raises
    ------
    BoardError
        If the port cannot be opened; from all methods also if the board does not answer, or has an
        unknown core.
    """

    def __init__(self, port: str | os.PathLike | serial.SerialBase, *,
                 baud: int = 115_200) -> None:
        self._port, self._baud = Port(port, baud), baud
        self._patience = _PATIENCE[False]
        # Those of a client before are no longer answered.
        self._tag = secrets.randbits(31)
        #: The digest of the key that the board has; None if that is not known.
        self._key: bytes | None = None
        #: Whether the board may hold operands or a key of this client.
        self._lent = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Reset a board that was sent operands or a key, and close the port if it was opened here.

        Otherwise the key would stay, and whoever opens the port next could use it.
        """
        try:
            if self._lent:
                self.reset()
        except BoardError as error:
            raise BoardError(f"{error}. The board may still have the key; switch it off") from error
        finally:
            self._port.close()

    @functools.cached_property
    def info(self) -> Info:
        """The board's description of itself."""
        info = Info.of(self._ask(self._request(Type.INFO)))
        self._patience = _PATIENCE[info.simulated]
        return info

    def require(self, kind: str) -> None:
        """Refuse a board whose core is of another kind."""
        core = self.info.parameters
        if kind_of(core).name != kind:
            raise BoardError(f"This needs a core of the kind {kind}, but the board has the "
                             f"{kind_of(core).noun} {name_of(core)}; program it with one")

    def reset(self) -> None:
        """Reset the board, which forgets its key and drops the operation that it runs."""
        self._key = None
        self._ask(self._request(Type.RESET))
        self._lent = False

    def operate(self, *operands: int, parameters: CoreParameters | None = None,
                **options: Any) -> Result:
        """Return the result of the core for its operands, which are those of its kind.

        ``parameters`` are of the shorter core whose words are sent, if the core takes the words of
        several; if None, of the one that takes the least time. ``options`` are those of the core's
        :meth:`montgomery.CoreParameters.encode`, which refuses operands that the core is not made
        for.
        """
        # What methods take depends on the kind of core.
        core: Any = parameters or self._fitted(*operands, **options)
        words = packed(core.encode(*operands, **options), core.operands.width)
        width = results_of(core).width
        size = core.result_words * word_bytes(width)
        cycles = cycles_of(core, *operands, **options)
        # What a core does with a key may be under way when it is asked for a result.
        clocks = cycles.load_key + cycles.load + cycles.compute + cycles.unload
        request = self._request(Type.RUN, size.to_bytes(SIZE_BYTES, "little") + words,
                                CLOCKS_BYTES + size, clocks)
        key = None
        if core.k_words:
            words = packed(core.encode_key(*key_of(core, *operands), **options),
                           core.key_operands.width)
            key = self._request(Type.KEY, bytes(SIZE_BYTES) + words, 0, cycles.load_key)
        self._lent = True
        payload = self._ask(request, key)
        return Result(value=core.decode(unpacked(payload[CLOCKS_BYTES:], width)),
                      clocks=int.from_bytes(payload[:CLOCKS_BYTES], "little"))

    def _fitted(self, *operands: int, **options: int) -> CoreParameters:
        """Return the parameters whose words give the core the least time for an operation."""
        core: Any = self.info.parameters
        # A shorter multiplier has another R.
        if not traits(core).takes_shorter or kind_of(core).name == kind_of(Parameters).name:
            return core
        longest = max(*(number.bit_length() for number in operands[1:]), *options.values())
        return core.shorter(max(LEAST_WIDTH, longest))

    def _request(self, kind: Type, payload: bytes = b"", reply_bytes: int | None = None,
                 clocks: int = 0) -> _Request:
        self._tag = (self._tag + 1) % (1 << 31) or 1
        return _Request(Frame(kind, self._tag, payload), reply_bytes,
                        clocks and clocks / self.info.clock_hz)

    def _ask(self, request: _Request, key: _Request | None = None) -> bytes:
        """Return the payload of the reply to a request, before which the board gets a key; repeat
        both.
        """
        why, sent, silent = "", 0, 0
        deadline = time.monotonic() + _COMPLAINTS_S
        try:
            while silent < _ATTEMPTS:
                if why not in ("", _DAMAGED):
                    # Whatever it is at. A damaged request is just sent again: if it was not this
                    # one that was damaged, the board takes it for a repetition.
                    self._key = None
                    self._port.send(Frame(Type.RESET, request.frame.tag | 1 << 31))
                sent += 1
                try:
                    if key and (digest := hashlib.sha256(key.frame.payload).digest()) != self._key:
                        self._reply(key)
                        self._key = digest
                    return self._reply(request).payload
                except NoReply as error:
                    why = str(error)
                if why == _DAMAGED:
                    # Complaints of what was sent before, perhaps by others, come first.
                    self._port.drain(_SILENCE_S, deadline)
                silent += why != _DAMAGED or time.monotonic() > deadline
        except serial.SerialException as error:
            raise BoardError(f"The line to the board broke ({one_line(error)}); plug it in again, "
                             f"and see whether another program uses it") from None
        raise NoReply(f"No reply from the board to {sent} requests: {why}; check that it is "
                      f"programmed, the port and --baud")

    def _reply(self, request: _Request) -> Frame:
        """Return the reply to a request; raise :exc:`NoReply` if it has to be sent again."""
        sent = request.frame
        # Twice, since each byte may take two on the line.
        line_s = 2 * _BITS * (len(sent.encode()) + (request.reply_bytes or 512)) / self._baud
        limit_s = self._patience * (line_s + request.work_s) + _MARGIN_S
        before = self._port.damaged
        self._port.send(sent)
        for frame in self._port.frames(limit_s):
            problem = frame.problem
            if problem in (Problem.DAMAGED, Problem.LENGTH) and not frame.tag:
                raise NoReply(_DAMAGED)
            if frame.version != VERSION or not frame.type & REPLY or frame.tag != sent.tag:
                continue
            if problem == Problem.BUSY:
                raise NoReply("the board is busy")
            if problem == Problem.NO_KEY:
                raise NoReply("the board lost its key")
            if (frame.type != sent.type | REPLY
                    or request.reply_bytes not in (None, len(frame.payload))):
                raise BoardError("The board does not answer as the protocol says (type "
                                 f"{frame.type}, {frame.payload[:8].hex()}); program it anew")
            return frame
        raise NoReply("replies came damaged" if self._port.damaged > before else
                      "nothing came back")
