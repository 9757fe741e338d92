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
from montgomery.bus import RegisterMap
from montgomery.bus.registers import BITS, ERRORS, ID, RESULT, TEXT, Command, Status, Window
from montgomery.core import LEAST_WIDTH, ceil_div, cycles_of, key_of, kind_of, name_of, traits

from .port import BoardError, NoReply, Port, one_line
from .protocol import COMPLAINT, VERSION, Reply, Request, packed, unpacked
from .top import BAUD
from .uart import LEAST_DIVISOR

__all__ = ["BoardError", "Client", "Info", "NoReply", "Result"]

#: Of the clock that a board may say, in Hz. No board's PLL makes a slower one, for which a host
#: would wait hours for an operation. A simulated board has the least for the usual line.
_SLOWEST, _FASTEST = {False: 10**6, True: LEAST_DIVISOR * BAUD}, 10**9


@dataclasses.dataclass(frozen=True, kw_only=True)
class Info:
    """A board's description of itself."""

    parameters: CoreParameters
    clock_hz: int  # of the core
    # Whether a program simulates the board; then times do not follow from ``clock_hz``.
    simulated: bool = False
    board: str = ""  # its name

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
    """The result of one operation; its text does not show the value, which may be a secret."""

    value: int = dataclasses.field(repr=False)
    # From the last word of the operands to the first word of the result, counted on the board.
    clocks: int


#: Bits that a byte takes on the line, and bytes of a reply without registers.
_BITS, _FRAME_BYTES = 10, 20
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
class _Exchange:
    """A request, the bits of the registers in its reply, and the time that the board takes."""

    request: Request
    bits: int = 0
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
        constants = self._read(0, RESULT)
        first, length = constants[TEXT] >> 16, constants[TEXT] & 0xFFFF
        if constants[0] != ID or not length:
            raise BoardError("The board has not the registers of a core; program it anew")
        text = self._read(first, ceil_div(8 * length, BITS))
        info = Info.of(packed(text, BITS)[:length])
        self._patience = _PATIENCE[info.simulated]
        return info

    def _read(self, first: int, count: int) -> list[int]:
        """Return what registers hold that belong to no message."""
        reply = self._ask(self._exchange(count * BITS, read=first, count=count))
        return unpacked(reply.number, BITS, count)

    @functools.cached_property
    def _windows(self) -> dict[str, Window]:
        """The windows of the board's core, by their names."""
        return {window.name: window for window in RegisterMap(self.info.parameters).windows}

    def require(self, kind: str) -> None:
        """Refuse a board whose core is of another kind."""
        core = self.info.parameters
        if kind_of(core).name != kind:
            raise BoardError(f"This needs a core of the kind {kind}, but the board has the "
                             f"{kind_of(core).noun} {name_of(core)}; program it with one")

    def reset(self) -> None:
        """Reset the board, which forgets its key and drops the operation that it runs."""
        self._key = None
        self._ask(self._clearing())
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
        result = self._windows["RESULT"]
        cycles = cycles_of(core, *operands, **options)
        # What a core does with a key may be under way when it is asked for a result.
        clocks = cycles.load_key + cycles.load + cycles.compute + cycles.unload
        request = self._exchange(
            core.result_words * result.width, clocks, read=RESULT,
            count=core.result_words * result.slots_per_word,
            **self._message("OPERANDS", Command.START, core.encode(*operands, **options)))
        key = None
        if core.k_words:
            words = core.encode_key(*key_of(core, *operands), **options)
            key = self._exchange(0, cycles.load_key, **self._message("KEY", Command.LOAD, words))
        self._lent = True
        reply = self._ask(request, key)
        return Result(value=core.decode(unpacked(reply.number, result.width, core.result_words)),
                      clocks=reply.cycles)

    def _fitted(self, *operands: int, **options: int) -> CoreParameters:
        """Return the parameters whose words give the core the least time for an operation."""
        core: Any = self.info.parameters
        # A shorter multiplier has another R.
        if not traits(core).takes_shorter or kind_of(core).name == kind_of(Parameters).name:
            return core
        longest = max(*(number.bit_length() for number in operands[1:]), *options.values())
        return core.shorter(max(LEAST_WIDTH, longest))

    def _message(self, name: str, command: Command, words: list[int]) -> dict[str, Any]:
        """Return the parts of a request that write a message and the command that uses it."""
        window, first = self._windows[name], self._windows["OPERANDS"]
        return {"write": (window.offset - first.offset) // 4, "command": command,
                "words": len(words), "data": packed(words, window.width)}

    def _exchange(self, bits: int, clocks: int = 0, **parts: Any) -> _Exchange:
        self._tag = (self._tag + 1) % (1 << 31) or 1
        return _Exchange(Request(tag=self._tag, **parts), bits,
                         clocks and clocks / self.info.clock_hz)

    def _clearing(self) -> _Exchange:
        """Return the request that the core forget all that it was sent."""
        core: Any = self.info.parameters
        # Most cores are cleared by two operations, and memories a register per clock.
        clocks = 2 * (core.cycles.load_key + core.cycles.load + core.cycles.compute
                      + core.cycles.unload) + RegisterMap(core).size
        return self._exchange(0, clocks, command=Command.CLEAR)

    def _ask(self, asked: _Exchange, key: _Exchange | None = None) -> Reply:
        """Return the reply to a request, before which the board gets a key; repeat both."""
        why, sent, silent = "", 0, 0
        deadline = time.monotonic() + _COMPLAINTS_S
        try:
            while silent < _ATTEMPTS:
                sent += 1
                try:
                    if why not in ("", _DAMAGED) and asked.request.words:
                        # Whatever it is at. A damaged request is just sent again: if it was not
                        # this one that was damaged, the board takes it for a repetition.
                        self._key = None
                        self._reply(self._clearing())
                    if key and (digest := hashlib.sha256(key.request.data).digest()) != self._key:
                        self._reply(key)
                        self._key = digest
                    return self._reply(asked)
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

    def _reply(self, asked: _Exchange) -> Reply:
        """Return the reply to a request; raise :exc:`NoReply` if it has to be sent again."""
        data = asked.request.encode()
        # Twice, since each byte may take two on the line.
        line_s = 2 * (_BITS * (len(data) + _FRAME_BYTES) + asked.bits) / self._baud
        limit_s = self._patience * (line_s + asked.work_s) + _MARGIN_S
        before = self._port.damaged
        self._port.send(data)
        for content in self._port.frames(limit_s):
            if content[0] != VERSION:
                raise BoardError(f"The board speaks version {content[0]} of the protocol, and this "
                                 f"program version {VERSION}; build its bitstream anew with "
                                 "'montgomery board build', and program it")
            tag = Reply.tag_of(content)
            if tag == COMPLAINT:
                raise NoReply(_DAMAGED)
            if tag != asked.request.tag:
                continue
            try:
                reply = Reply.decode(content, asked.bits)
            except ValueError as error:
                raise BoardError(f"The board does not answer as the protocol says: {error}"
                                 ) from None
            if reply.status & Status.ERROR_BUSY:
                raise NoReply("the board is busy")
            if reply.status & Status.ERROR_KEY:
                raise NoReply("the board lost its key")
            if reply.status & ERRORS:
                raise BoardError("The board takes no message of so many words; program it anew")
            return reply
        raise NoReply("replies came damaged" if self._port.damaged > before else
                      "nothing came back")
