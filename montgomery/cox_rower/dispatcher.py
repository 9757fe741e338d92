"""Hardware: says which numbers the Rowers multiply, one operation after the other."""

import itertools

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.digit_source import DigitSource
from ..blocks.sequencer import Sequencer
from .microcode import Adds, After, Digits
from .runner import operation

__all__ = ["Dispatcher"]


class Dispatcher(wiring.Component):
    """Goes through the :func:`~montgomery.cox_rower.microcode.microcode`.

    Latency: when an operation has been taken, the next one is at ``next`` four clocks later.
    Throughput: an operation every sixth clock, which is less than any of them takes.

    Parameters
    ----------
    program : :class:`~montgomery.blocks.program.Program`
    at : :class:`~montgomery.cox_rower.microcode.Places`
    width : :class:`int`
        Bits r of a word of the stream.
    header : dict from :class:`str` to :class:`int`
        Words of each field of the header, in order.
    runs : :class:`int`
        Number of programs of the Rowers.
    both : bool
        Keys may be with CRT and without.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The header of a key, which is taken at once: its fields ``digits`` and exponents, and with a
        check ``public_digits`` and ``public``. Bits of numbers of digits beyond those of the
        longest exponent are ignored.
    is_key : :py:`In(1)`
        What begins next is a key, not a message.
    single : :py:`In(1)`
        With ``both``: the key is one without CRT.
    begin : :py:`In(1)`
        Begin with a key or a message: all operations of the one before have been taken.
    next : :py:`Out(operation(at.count, runs))`
        The operation.
    takes : :py:`In(1)`
        The operation has been taken.
    more : :py:`Out(1)`
        The run of the operation taken last is followed by another run at once.
    """

    def __init__(self, program, at, *, width, header, runs, both=False):
        self.program, self.at, self.width, self.both = program, at, width, both
        self.header = header
        super().__init__({
            "i": In(stream.Signature(width)), "is_key": In(1), "begin": In(1), "takes": In(1),
            "more": Out(1), "next": Out(operation(at.count, runs))}
            | ({"single": In(1)} if both else {}))

    def elaborate(self, platform):
        m = Module()
        at, header = self.at, self.header
        entries = ["message", "key", *["single message", "single key"] * self.both]
        m.submodules.sequencer = sequencer = Sequencer(self.program, entries)
        step = sequencer.step

        # -- The header.
        place = Signal(range(sum(header.values())), name="place")
        starts = dict(zip(header, itertools.accumulate(header.values(), initial=0), strict=False))
        m.d.comb += self.i.ready.eq(1)
        with m.If(self.i.valid):
            m.d.sync += place.eq(Mux(place == sum(header.values()) - 1, 0, place + 1))

        def is_of(start, words):
            return self.i.valid & (place >= start) & (place < start + words)

        def given(loop, name):
            """Let a loop have as many turns as a field says; return the number of the last one."""
            count = Signal(header[name] * self.width, name=name, reset_less=True)
            last = Signal.like(sequencer.last[loop], name=f"last_{loop}")
            with m.If(is_of(starts[name], header[name])):
                m.d.sync += count.eq(Cat(count, self.i.payload)[self.width:])
            m.d.sync += last.eq(count - 1)
            m.d.comb += sequencer.last[loop].eq(last)
            return last

        def source_of(name, window, numbers=1):
            m.submodules[name] = source = DigitSource(self.width, header[name], window, numbers)
            m.d.comb += [source.write.eq(is_of(starts[name], numbers * header[name])),
                         source.index.eq(place - starts[name]), source.word.eq(self.i.payload)]
            return source

        only = Signal(name="only_digit")
        m.d.sync += only.eq(given("digit", "digits") == 0)
        name = next(name for name in header if name.startswith("exponent"))
        source = source_of(name, at.window, 1 + at.crt)

        # -- The operation.
        advance = Signal(name="advance")
        factor = sequencer.turn_of("factor")
        m.d.sync += advance.eq(self.takes)
        m.d.comb += [sequencer.entry.eq(Cat(self.is_key, self.single) if self.both else
                                        self.is_key),
                     sequencer.begin.eq(self.begin), sequencer.advance.eq(advance)]
        with m.If(advance):
            m.d.sync += self.more.eq(step.after == After.RUN)
        m.d.sync += [source.rewind.eq(advance & (step.digits == Digits.REWIND)),
                     source.next.eq(advance & (step.digits == Digits.NEXT))]
        if at.crt:
            m.d.comb += source.number.eq(factor)
        if "public" in header:
            given("public", "public_digits")
            public = source_of("public", 1)
            m.d.sync += [public.rewind.eq(advance & (step.digits == Digits.REWIND_PUBLIC)),
                         public.next.eq(advance & (step.digits == Digits.NEXT_PUBLIC))]
            m.d.comb += sequencer.condition.eq(~public.digit)
        power = Signal(range(at.count), name="power", reset_less=True)
        m.d.sync += power.eq(Mux(source.digit == 0, at.one + factor, at.powers + source.digit))
        for name in ("target", "x", "y"):
            found = Signal(range(at.count), name=f"next_{name}", reset_less=True)
            with m.Switch(step[name].adds):
                with m.Case(Adds.NOTHING):
                    m.d.sync += found.eq(step[name].place)
                with m.Case(Adds.FACTOR):
                    m.d.sync += found.eq(step[name].place + factor)
                with m.Case(Adds.ENTRY):
                    m.d.sync += found.eq(step[name].place + sequencer.turn_of("entry"))
                with m.Case(Adds.POWER):
                    m.d.sync += found.eq(power)
                with m.Case(Adds.RESULT):
                    m.d.sync += found.eq(Mux(only, power, at.y))
            m.d.comb += self.next[name].eq(found)
        key = Signal(range(at.count), name="next_key", reset_less=True)
        m.d.sync += key.eq(at.key + factor)
        m.d.comb += [self.next.key.eq(key), self.next.last.eq(step.after != After.SAME),
                     self.next.program.eq(step.run)]
        return m
