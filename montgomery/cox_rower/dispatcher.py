"""Hardware: says which numbers the Rowers multiply, one operation after the other."""

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
    count_words, exponent_words : :class:`int`
        Words of the number of digits, and of each exponent.
    runs : :class:`int`
        Number of programs of the Rowers.
    both : bool
        Keys may be with CRT and without.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The header of a key, which is taken at once: the number of digits, whose bits beyond those
        of the longest exponent are ignored; and the exponent, or with CRT those for p and for q.
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

    def __init__(self, program, at, *, width, count_words, exponent_words, runs, both=False):
        self.program, self.at, self.width, self.both = program, at, width, both
        self.count_words, self.exponent_words = count_words, exponent_words
        super().__init__({
            "i": In(stream.Signature(width)), "is_key": In(1), "begin": In(1), "takes": In(1),
            "more": Out(1), "next": Out(operation(at.count, runs))}
            | ({"single": In(1)} if both else {}))

    def elaborate(self, platform):
        m = Module()
        at, window, exponents = self.at, self.at.window, 1 + self.at.crt
        entries = ["message", "key", *["single message", "single key"] * self.both]
        m.submodules.sequencer = sequencer = Sequencer(self.program, entries)
        m.submodules.digits = source = DigitSource(self.width, self.exponent_words, window,
                                                   exponents)
        step = sequencer.step

        # -- The header.
        words = self.count_words + exponents * self.exponent_words
        place = Signal(range(words), name="place")
        count = Signal(self.count_words * self.width, name="count", reset_less=True)
        is_count = place < self.count_words
        m.d.comb += [self.i.ready.eq(1), source.write.eq(self.i.valid & ~is_count),
                     source.index.eq(place - self.count_words), source.word.eq(self.i.payload)]
        with m.If(self.i.valid):
            m.d.sync += place.eq(Mux(place == words - 1, 0, place + 1))
            with m.If(is_count):
                m.d.sync += count.eq(Cat(count, self.i.payload)[self.width:])
        last = Signal.like(sequencer.last.digit, name="last_digit")
        only = Signal(name="only_digit")
        m.d.sync += [last.eq(count - 1), only.eq(last == 0)]

        # -- The operation.
        advance = Signal(name="advance")
        factor = sequencer.turn_of("factor")
        m.d.sync += advance.eq(self.takes)
        m.d.comb += [sequencer.entry.eq(Cat(self.is_key, self.single) if self.both else
                                        self.is_key),
                     sequencer.begin.eq(self.begin), sequencer.advance.eq(advance),
                     sequencer.last.digit.eq(last)]
        with m.If(advance):
            m.d.sync += self.more.eq(step.after == After.RUN)
        m.d.sync += [source.rewind.eq(advance & (step.digits == Digits.REWIND)),
                     source.next.eq(advance & (step.digits == Digits.NEXT))]
        if self.at.crt:
            m.d.comb += source.number.eq(factor)
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
