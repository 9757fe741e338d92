"""What carries out the exchanges of :mod:`boards.protocol` on the registers of a core."""

from amaranth.hdl import C, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from montgomery.blocks.carry_save import gate
from montgomery.bus.registers import (
    BITS,
    CONTROL,
    CYCLES,
    ERRORS,
    RESULT,
    STATUS,
    Command,
)
from montgomery.bus.shell import Shell

from .protocol import COMPLAINT, STATUS_BITS, VERSION

__all__ = ["HEADER", "Master"]

#: What a request begins with.
HEADER = data.StructLayout({"version": 8, "tag": 32, "read": 16, "count": 16, "words": 16,
                            "command": 8, "write": 16})


class Master(wiring.Component):
    """Carries out exchanges, one at a time, by accesses of registers.

    The words of a request go to their window as they come, and what is asked for is done when the
    request has come intact. Its header stays where it was received until bits of another one come.
    These push it out, which also shows whether both are the same.

    Parameters
    ----------
    registers : :class:`~montgomery.bus.RegisterMap`

    Members
    -------
    i : :py:`In(stream.Signature(1, always_ready=True))`
        What frames hold, and their checksums: eight bits at a time, and then none for two clocks.
    done, intact : :py:`In(1)`
        A frame has ended; it is intact.
    o, fills : :py:`Out(stream.Signature(1))`, :py:`Out(1)`
        What a reply holds, and that there is more of it.
    sends : :py:`In(1)`
        A reply is still being sent.
    number, data, write, found : :py:`Out(...)`, :py:`Out(32)`, :py:`Out(1)`, :py:`In(32)`
        To and from a :class:`~montgomery.bus.shell.Shell`.
    busy, error : :py:`Out(1)`
        The core is at work; the last request was not done.
    """

    def __init__(self, registers):
        self._registers = registers
        super().__init__({
            "i": In(stream.Signature(1, always_ready=True)), "done": In(1), "intact": In(1),
            "o": Out(stream.Signature(1)), "fills": Out(1), "sends": In(1),
            "number": Out(registers.address_bits - 2), "data": Out(BITS), "write": Out(1),
            "found": In(BITS), "busy": Out(1), "error": Out(1)})

    def elaborate(self, platform):
        m = Module()
        self._header = header = Signal(HEADER)
        # A request waits for its reply; its header, or that of the one being replied to, is there.
        held, known = Signal(), Signal()
        complains, commanded, spoiled = Signal(), Signal(), Signal()
        receives, whole, repeats, opens, stores, stored = self._receive(m, known)

        # What is read where nothing is written, and since when.
        number, age = Signal(len(self.number), init=STATUS), Signal(range(Shell.LATENCY + 1))
        fresh = age == Shell.LATENCY
        with m.If(~fresh):
            m.d.sync += age.eq(age + 1)

        def read(value):
            return [number.eq(value), age.eq(0)]

        rest, left = Signal(8 + len(header.tag)), Signal(range(BITS + 16))
        asked = Signal(len(number))  # registers that are still to be read
        m.d.comb += [self.o.payload.eq(rest[0]), self.o.valid.eq(left != 0)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [rest.eq(rest[1:]), left.eq(left - 1)]

        busy, failed = self.found[0], (self.found & ERRORS).any()
        commands, clears, forgets = Signal(), Signal(), Signal()
        size = self._size_read(m, number, (left == 0) & fresh & (asked != 0))
        with m.FSM() as fsm:
            with m.State("rest"):
                waits = (header.command != 0) & ~commanded
                with m.If(fresh):
                    m.d.sync += self.busy.eq(busy)
                with m.If(complains | (held & fresh & ~receives & (
                        failed | ~(waits | (commanded & busy))))):
                    m.d.sync += [
                        rest.eq(Cat(C(VERSION, 8), Mux(complains, COMPLAINT, header.tag))),
                        left.eq(len(rest)), asked.eq(Mux(complains, 0, header.count)),
                        read(Mux(complains | (header.count == 0), CYCLES, header.read)),
                        self.error.eq(complains | failed), complains.eq(0),
                        held.eq(held & complains), forgets.eq(commanded & ~complains)]
                    m.next = "send"
                with m.Elif(held & fresh & ~receives):
                    m.d.comb += commands.eq(waits & (~busy | header.command[2]))
                    m.d.sync += commanded.eq(commanded | commands)
            with m.State("send"), m.If((left == 0) & fresh):
                m.d.sync += rest.eq(self.found)
                with m.If(asked != 0):
                    m.d.sync += [left.eq(size), asked.eq(asked - 1),
                                 read(Mux(asked == 1, CYCLES, number + 1))]
                with m.Elif(number == CYCLES):
                    m.d.sync += [left.eq(BITS), read(STATUS)]
                with m.Else():
                    m.d.sync += left.eq(STATUS_BITS)
                    m.next = "last"
            with m.State("last"), m.If((left == 0) & ~stores & ~opens):
                # What was received meanwhile is wiped too.
                if not self._registers.params.k_words:
                    m.d.comb += clears.eq(forgets)
                    with m.If(forgets):
                        m.d.sync += [spoiled.eq(receives), complains.eq(held), held.eq(0)]
                m.next = "end"
            with m.State("end"), m.If(~self.sends):
                m.d.sync += known.eq(held)
                m.next = "rest"
        m.d.comb += self.fills.eq(fsm.ongoing("send") | (left != 0))

        with m.If(self.done):
            m.d.sync += spoiled.eq(0)
            with m.If(~self.intact | ~whole | spoiled | (header.version != VERSION)):
                m.d.sync += [complains.eq(1), held.eq(0), known.eq(0)]
            with m.Elif(~repeats):
                m.d.sync += [held.eq(1), known.eq(1), commanded.eq(0)]

        m.d.comb += [
            self.write.eq(stores | opens | commands | clears),
            self.number.eq(Mux(stores | stored, Cat(self._place, 1), Mux(
                opens, STATUS, Mux(commands | clears, CONTROL, number)))),
            self.data.eq(Mux(stores, self._value, Mux(opens, ERRORS, Mux(
                clears, Command.CLEAR, Cat(header.command, C(0, 8), header.words)))))]
        with m.If(self.write | stored):
            m.d.sync += age.eq(0)
        return m

    def _receive(self, m, known):
        """Receive requests, and put their words together.

        Return whether one is being received, has all its words, and is that whose header is known;
        whether its header came, and is another one; and whether a register came now, and a clock
        ago.
        """
        header, valid, bit = self._header.as_value(), self.i.valid, self.i.payload
        place, same = Signal(range(len(header) + 1), name="received"), Signal(init=1)
        in_header = place != len(header)
        closes, repeats, stores = Signal(), Signal(), Signal()
        m.d.sync += [closes.eq(valid & (place == len(header) - 1)), stores.eq(0)]
        with m.If(self.done):
            m.d.sync += [place.eq(0), same.eq(1)]
        with m.Elif(valid & in_header):
            m.d.sync += [header.eq(Cat(header[1:], bit)), place.eq(place + 1),
                         same.eq(same & (bit == header[0]))]

        windows = self._registers.windows[1:]
        parts, sizes = zip(*map(_shape, windows), strict=True)
        words = Signal(range(1 + max(window.words for window in windows)), name="words")
        value, filled = Signal(BITS), Signal(range(BITS))
        part, is_key = Signal(range(max(parts))), Signal()
        self._place = Signal(len(self.number) - 1, name="place")
        last_part, size = _now(part, parts[0], sizes[0])
        if len({*zip(parts, sizes, strict=True)}) > 1:
            of_key = _now(part, parts[1], sizes[1])
            last_part, size = Mux(is_key, of_key[0], last_part), Mux(is_key, of_key[1], size)
        repeated = known & same
        with m.If(closes):
            m.d.sync += [repeats.eq(repeated), self._place.eq(self._header.write),
                         words.eq(Mux(repeated, 0, self._header.words)), filled.eq(0), part.eq(0),
                         is_key.eq(self._header.write == windows[0].slots)]
        with m.If(valid & ~in_header & (words != 0)):
            m.d.sync += [value.eq(Cat(value[1:], bit)), filled.eq(filled + 1)]
            with m.If(filled == size - 1):
                m.d.sync += [stores.eq(1), filled.eq(0), part.eq(Mux(last_part, 0, part + 1)),
                             words.eq(words - last_part)]
        # Nothing of a message stays here.
        with m.If(stores | self.done):
            m.d.sync += value.eq(Cat(C(0, BITS - 1), bit))
        stored = Signal()
        m.d.sync += stored.eq(stores)
        with m.If(stored):
            m.d.sync += self._place.eq(self._place + 1)

        # A register is on top when it has come.
        found = {*sizes, *(BITS for count in parts if count > 1)}
        self._value = Const(0, BITS)
        for each in found:
            chosen = Signal(name=f"of_{each}")
            m.d.sync += chosen.eq(size == each)
            self._value |= value >> BITS - each if len(found) == 1 else gate(
                chosen, value >> BITS - each)
        return (place != 0, ~in_header & (words == 0), repeats, closes & ~repeated, stores,
                stored)

    def _size_read(self, m, number, moves):
        """Return how many bits the register has that is read, and is done with if it moves."""
        window = self._registers.windows[0]
        count, rest = _shape(window)
        part, in_window = Signal(range(count), name="part_read"), Signal()
        m.d.comb += in_window.eq((number >= RESULT) & (number < RESULT + window.slots))
        last_part, size = _now(part, count, rest)
        with m.If(~in_window):
            m.d.sync += part.eq(0)
        with m.Elif(moves):
            m.d.sync += part.eq(Mux(last_part, 0, part + 1))
        return Mux(in_window, size, BITS)


def _shape(window):
    """Return how many registers a word of a window takes, and the bits of the last one."""
    parts = window.slots_per_word
    return parts, window.width - BITS * (parts - 1)


def _now(part, parts, rest):
    """Return whether a register is the last one of its word, and how many bits it has."""
    last = part == parts - 1
    return last, Mux(last, rest, BITS)
