"""A core behind a serial line, on any board; and with the host's end of the line, simulated."""

import dataclasses
import json

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from montgomery.core import kind_of, name_of

from .engine import Engine, most_bytes
from .framing import FrameReceiver, Replies
from .protocol import MAX_PAYLOAD, REPLY, VERSION, Problem, Type
from .uart import LEAST_DIVISOR, Receiver, Transmitter, divisor

__all__ = ["BAUD", "Line", "Top", "description"]

BAUD = 115_200


def description(parameters, *, clock_hz, baud, **more):
    """Return a board's description of itself for JSON, which names the core as the registry does.
    """
    params = dataclasses.asdict(parameters)
    return {"arch": name_of(parameters), "kind": kind_of(parameters).name,
            "width": params.pop("width"),
            "params": params, "clock_hz": clock_hz, "baud": baud, **more}


class Top(wiring.Component):
    """A core behind a serial line that speaks :mod:`boards.protocol`.

    Parameters
    ----------
    frequency_hz : :class:`int`
        Frequency of the clock.
    baud : :class:`int`
        Bits per second of the line.
    more : :class:`dict` or ``None``
        Further entries of the :func:`description`.

    Members
    -------
    rx : :py:`In(1)`
        The line from the host, in no clock domain.
    tx : :py:`Out(1)`
        The line to the host.
    busy, error : :py:`Out(1)`
        The core works on an operation; the board refused the last request.

    Raises
    ------
    ValueError
        If the line is too fast for the clock, or an operation does not fit into a frame.
    """

    def __init__(self, parameters, *, frequency_hz, baud=BAUD, more=None):
        self._parameters = parameters
        self._divisor = divisor(frequency_hz, baud)
        self._most = most_bytes(parameters)
        if self._most > MAX_PAYLOAD:
            raise ValueError(f"An operation or a key must fit into {MAX_PAYLOAD} bytes, unlike the "
                             f"{self._most} of {name_of(parameters)} with {parameters.width} bits; "
                             f"take a smaller width")
        self._description = json.dumps(
            description(parameters, clock_hz=frequency_hz, baud=baud, **(more or {})),
            separators=(",", ":")).encode()
        super().__init__({"rx": In(1, init=1), "tx": Out(1, init=1), "busy": Out(1),
                          "error": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = Receiver(self._divisor)
        m.submodules.transmitter = transmitter = Transmitter(self._divisor)
        m.submodules.frames = frames = FrameReceiver(self._most)
        m.submodules.engine = engine = Engine(self._parameters)
        # What is being sent, and what the core does, are forgotten.
        forget = Signal()
        replies = Replies(self._description)
        m.submodules.replies = ResetInserter(forget)(replies)
        wiring.connect(m, receiver.o, frames.i)
        wiring.connect(m, replies.o, transmitter.i)
        wiring.connect(m, engine.reply, replies.result)
        tag = Signal(32)
        m.d.comb += [
            receiver.rx.eq(self.rx), self.tx.eq(transmitter.tx), self.busy.eq(engine.busy),
            engine.request.payload.eq(frames.payload.payload), engine.finish.eq(replies.finish),
            engine.forget.eq(forget), replies.tag.eq(tag),
            replies.type.eq(Mux(engine.to_key, Type.KEY, Type.RUN) | REPLY),
            replies.length.eq(engine.length), replies.ready.eq(engine.ready)]

        header, note = frames.header, replies.note
        # The request that is being received is not stored: there is another one in its place.
        passes = Signal()
        works = header.type == Type.RUN
        if self._parameters.k_words:
            m.d.comb += engine.key.eq(header.type == Type.KEY)
            works |= engine.key
        with m.If(frames.first):
            m.d.sync += passes.eq(engine.busy | ~works)
            m.d.comb += engine.clear.eq(~engine.busy & works)
        m.d.comb += engine.request.valid.eq(frames.payload.valid & ~passes & ~engine.busy)

        # What to do about a request is decided in one clock, and done in the next.
        speaks = Signal()
        problem = Signal(8)
        type_ = Signal(8)
        starts = Signal()
        # The header has been there for long.
        same_tag = Signal()
        same_version = Signal()
        m.d.sync += [same_tag.eq(header.tag == tag), same_version.eq(header.version == VERSION),
                     speaks.eq(0), starts.eq(0), forget.eq(0)]

        def refuse(reason):
            return [speaks.eq(1), type_.eq(Type.ERROR | REPLY), problem.eq(reason)]

        with m.If(frames.done):
            m.d.sync += type_.eq(header.type | REPLY)
            with m.If(frames.overlong):
                m.d.sync += refuse(Problem.LENGTH)
            with m.Elif(~frames.intact):
                m.d.sync += refuse(Problem.DAMAGED)
            with m.Elif(~same_version):
                m.d.sync += refuse(Problem.VERSION)
            with m.Else(), m.Switch(header.type):
                with m.Case(Type.INFO):
                    m.d.sync += speaks.eq(1)
                with m.Case(Type.RESET):
                    m.d.sync += [speaks.eq(1), forget.eq(1)]
                with m.Case(Type.RUN, *([Type.KEY] if self._parameters.k_words else [])):
                    repeated = engine.busy & same_tag
                    with m.If((engine.busy | passes) & ~repeated):
                        m.d.sync += refuse(Problem.BUSY)
                    with m.Elif(~engine.whole & ~repeated):
                        m.d.sync += refuse(Problem.LENGTH)
                    with m.Elif(~engine.has_key & (header.type == Type.RUN)):
                        m.d.sync += refuse(Problem.NO_KEY)
                    with m.Elif(~repeated):
                        m.d.sync += starts.eq(1)
                with m.Default():
                    m.d.sync += refuse(Problem.UNKNOWN)
        m.d.comb += engine.start.eq(starts)
        with m.If(starts):
            m.d.sync += [tag.eq(header.tag), self.error.eq(0)]
        with m.If(note.ready):
            m.d.sync += note.valid.eq(0)
        with m.If(speaks):
            m.d.sync += self.error.eq(type_ == Type.ERROR | REPLY)
            # One short reply waits at a time. Others are dropped, and the host asks again.
            with m.If(forget | ~note.valid):
                m.d.sync += [note.valid.eq(1), note.payload.type.eq(type_),
                             note.payload.tag.eq(Mux(frames.intact, header.tag, 0)),
                             note.payload.problem.eq(problem)]
        return m


class Line(wiring.Component):
    """A :class:`~boards.top.Top` on the fastest possible line, and the host's end of that line.

    Parameters
    ----------
    parameters : :class:`montgomery.CoreParameters`
    baud : :class:`int`
        Baud rate that the board states; the clock is a small multiple of it.

    Members
    -------
    i, o : :py:`In(stream.Signature(8))`, :py:`Out(stream.Signature(8))`
        Bytes to the board, and bytes from it. A byte from the board is lost unless it is taken at
        once.
    busy : :py:`Out(1)`
        That of the board.
    """

    def __init__(self, parameters, *, baud):
        self.frequency_hz = LEAST_DIVISOR * baud
        self.top = Top(parameters, frequency_hz=self.frequency_hz, baud=baud,
                       more={"simulated": True})
        super().__init__({"i": In(stream.Signature(8)), "o": Out(stream.Signature(8)),
                          "busy": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.top = top = self.top
        m.submodules.transmitter = transmitter = Transmitter(LEAST_DIVISOR)
        m.submodules.receiver = receiver = Receiver(LEAST_DIVISOR)
        wiring.connect(m, wiring.flipped(self.i), transmitter.i)
        m.d.comb += [top.rx.eq(transmitter.tx), receiver.rx.eq(top.tx), self.busy.eq(top.busy),
                     self.o.valid.eq(receiver.o.valid), self.o.payload.eq(receiver.o.payload)]
        return m
