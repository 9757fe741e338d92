"""What is behind the registers of a core on a bus: memories, and what moves words of messages."""

from amaranth.hdl import (
    C,
    Cat,
    ClockDomain,
    ClockSignal,
    Module,
    Mux,
    ResetInserter,
    ResetSignal,
    Signal,
)
from amaranth.lib import enum, wiring
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.clearable import Clearable
from ..core import traits
from .registers import BITS, CONTROL, CYCLES, RESULT, STATUS, RegisterMap

__all__ = ["Shell"]

#: Clocks for which CLEAR resets a core: more than a command takes to cross from the bus.
_RESET = 8


class _State(enum.Enum, shape=3):
    """What the side of the core does.

    FETCH reads a register of a message, and SEND gives the core a word when all registers of the
    word were read. RESULT takes a word of the result, and STORE writes what does not fit in the
    first register of the word. COUNT writes the clocks. CLEAR resets or clears the core, and WIPE
    writes zeros over the result.
    """

    REST, FETCH, SEND, RESULT, STORE, COUNT, CLEAR, WIPE = range(8)


class Shell(wiring.Component):
    """The registers of a core, and the core.

    A memory that the bus writes holds the operands and the key. A memory that the bus reads holds
    the constant registers, the clocks and the result. The other side of both memories belongs to
    the core, and so to the clock of the core if it has one of its own. A command crosses as a bit
    that changes, and the end of the command as another one; all else stays in between.

    Latency: ``q`` is the register at ``address`` :attr:`LATENCY` clocks later. A register of a
    message takes three clocks on its way to the core, and one on its way back. Throughput: an
    operation at a time.

    Parameters
    ----------
    registers : :class:`~.registers.RegisterMap`
    """

    LATENCY = BlockRam.LATENCY + 1

    def __init__(self, registers: RegisterMap):
        self.registers = registers
        p = registers.params
        self.core = Clearable(p) if registers.clear else p.create()
        #: Clock domain of the bus.
        self.bus = "bus" if registers.own_clock else "sync"
        super().__init__({
            # The number of a register, which stays until it was read or written.
            "address": In(registers.address_bits - 2),
            "data": In(BITS), "write": In(1), "q": Out(BITS),
            "irq": Out(1),
        } | ({"core_clk": In(1)} if registers.own_clock else {}))

    def elaborate(self, platform):
        m = self.m = Module()
        registers = self.registers
        if registers.own_clock:
            m.domains.sync = ClockDomain("sync")
            m.d.comb += ClockSignal("sync").eq(self.core_clk)
            m.submodules.reset = ResetSynchronizer(ResetSignal(self.bus), domain="sync")
        result = registers.window("RESULT")
        slots = sum(each.slots for each in registers.windows if each is not result)
        m.submodules.written = written = BlockRam(
            BITS, _power(slots), domains=(self.bus, "sync"))
        m.submodules.read = read = BlockRam(
            BITS, _power(RESULT + result.slots), registers.constants, domains=("sync", self.bus))

        # Bits that change with each command, and with the end of it.
        self._asked, self._cleared, self._ended, self._wiped = (
            Signal(name=name) for name in ("asked", "cleared", "ended", "wiped"))
        # What belongs to a command, and stays meanwhile.
        self._is_key, self._refused = Signal(name="is_key"), Signal(name="refused")
        self._words = Signal(range(1 + max(each.words for each in registers.windows)), name="words")
        self._of_bus(written.a, read.b)
        self._of_core(written.b, read.a)
        return m

    def _seen(self, bit, domain):
        """Return a bit as it is seen in a clock domain that may be another one."""
        if not self.registers.own_clock:
            return bit
        seen = Signal(name=f"{bit.name}_seen")
        self.m.submodules[f"cross_{bit.name}"] = FFSynchronizer(
            bit, seen, o_domain=domain, reset_less=False)
        return seen

    # -- In the clock of the bus.

    def _of_bus(self, to_core, from_core):
        m, p, bus = self.m, self.registers.params, self.m.d[self.bus]
        number, in_window = self.address[:-1], self.address[-1]
        commands = self.write & ~in_window & (number == CONTROL)
        acknowledges = gate(self.write & ~in_window & (number == STATUS), self.data)
        fills = self.write & in_window
        start, load, clear = (bit & commands for bit in self.data[:3])

        clearing, wiping, busy, was_busy = (
            Signal(name=name) for name in ("clearing", "wiping", "busy", "was_busy"))
        m.d.comb += [
            clearing.eq(self._cleared != self._seen(self._wiped, self.bus)),
            busy.eq((self._asked != self._seen(self._ended, self.bus)) | clearing | wiping)]
        done, refused, has_key, enable = (
            Signal(name=name) for name in ("done", "is_refused", "has_key", "enable"))
        errors = Signal(3, name="errors")
        starts, loads = Signal(name="starts"), Signal(name="loads")  # what is being done
        ends = was_busy & ~busy

        # -- Commands.
        count, window = self.data[16:], self.registers.window
        fits, lacks_key = _fits(window("OPERANDS"), count) & ~load, C(0, 1)
        if p.k_words:
            fits = Mux(load, _fits(window("KEY"), count) & ~start, fits)
            lacks_key = start & ~has_key
        asks, goes = Signal(name="asks"), Signal(name="goes")
        m.d.comb += [asks.eq((start | load) & ~clear), goes.eq(asks & ~busy & fits & ~lacks_key)]
        bus += [was_busy.eq(busy), errors.eq((errors & ~acknowledges[8:11]) | Cat(
            (asks | fills) & busy, asks & ~busy & fits & lacks_key, asks & ~busy & ~fits))]
        with m.If(commands):
            bus += enable.eq(self.data[3])
        with m.If(goes):
            bus += [self._asked.eq(~self._asked), self._words.eq(self.data[16:]),
                    self._is_key.eq(load), starts.eq(start), loads.eq(load)]
        with m.If(clear):
            bus += [starts.eq(0), loads.eq(0), has_key.eq(0)]
        with m.Elif(ends & loads):
            bus += has_key.eq(1)
        with m.If(clear & ~clearing):
            bus += self._cleared.eq(~self._cleared)
        bus += [done.eq((done & ~goes & ~acknowledges[1]) | ends),
                refused.eq((refused & ~goes & ~acknowledges[2]) | (ends & starts & self._refused))]
        m.d.comb += self.irq.eq(enable & (done | errors.any()))

        # -- Windows. Only the bus writes to the memory for operands and keys, and so wipes it too.
        place, data = number[:len(to_core.address)], self.data
        if self.registers.clear:
            wiped = Signal.like(to_core.address, name="wiped_to")
            with m.If(clear):
                bus += [wiping.eq(1), wiped.eq(0)]
            with m.Elif(wiping):
                bus += [wiping.eq(~wiped.all()), wiped.eq(wiped + 1)]
            place, data = Mux(wiping, wiped, place), gate(~wiping, data)
        m.d.comb += [to_core.address.eq(place), to_core.data.eq(data),
                     to_core.write.eq((fills & ~busy) | wiping), from_core.address.eq(number)]
        # The memory holds 0 for the registers that are not in it.
        bus += self.q.eq(
            from_core.q | gate(number == CONTROL, enable << 3)
            | gate(number == STATUS, Cat(busy | was_busy, done, refused, has_key, C(0, 4), errors)))
        with m.If(in_window):
            bus += self.q.eq(0)

    # -- In the clock of the core.

    def _of_core(self, source, target):
        m, registers, state = self.m, self.registers, Signal(_State, name="state")
        at = {each: state == each for each in _State}
        core, cleared = self.core, C(1, 1)
        if registers.clear:
            m.submodules.core = core
            m.d.comb += core.clear.eq(at[_State.CLEAR])
            cleared = ~core.busy
        else:
            m.submodules.core = ResetInserter(at[_State.CLEAR])(core)
        moves, last_moves = self._words_to(core, source, at)
        takes, whole, last_stored, last = self._words_from(core, target, at)
        is_key = self._is_key if registers.params.k_words else C(0, 1)

        asks, clears = self._seen(self._asked, "sync"), self._seen(self._cleared, "sync")
        waited = Signal(range(_RESET), name="waited")
        m.d.sync += waited.eq(Mux(at[_State.FETCH] | at[_State.CLEAR], waited + 1, 0))
        ended = (last_moves & is_key) | at[_State.COUNT]
        with m.If(ended):
            m.d.sync += [state.eq(_State.REST), self._ended.eq(asks)]
        with m.Elif(at[_State.REST] & (asks != self._ended)):
            m.d.sync += state.eq(_State.FETCH)
        with m.Elif(at[_State.FETCH] & (waited == BlockRam.LATENCY - 1)):
            m.d.sync += state.eq(_State.SEND)
        with m.Elif(moves):
            m.d.sync += state.eq(Mux(last_moves, _State.RESULT, _State.FETCH))
        with m.Elif(last_stored):
            m.d.sync += state.eq(_State.COUNT)
        with m.Elif(takes | at[_State.STORE]):
            m.d.sync += state.eq(Mux(whole, _State.RESULT, _State.STORE))
        with m.Elif(at[_State.CLEAR] & (waited == _RESET - 1)):
            m.d.sync += state.eq(_State.WIPE)

        # A command that came just before is over too, now that it has been seen.
        with m.If(at[_State.WIPE] & cleared & last):
            m.d.sync += [state.eq(_State.REST), self._ended.eq(asks), self._wiped.eq(clears)]
        with m.If((clears != self._wiped) & ~at[_State.CLEAR] & ~at[_State.WIPE]):
            m.d.sync += state.eq(_State.CLEAR)

    def _words_to(self, core, source, at):
        """Send words to the core, from the lowest register of each to the highest one.

        Return whether a register is done with, and whether it was the last one of the message.
        """
        m, registers = self.m, self.registers
        ports = {core.i: registers.window("OPERANDS")}
        if registers.params.k_words:
            ports[core.k] = registers.window("KEY")
        is_key = self._is_key if len(ports) > 1 else C(0, 1)
        most = max(window.slots_per_word for window in ports.values())
        place = Signal.like(source.address, name="place")
        left = Signal.like(self._words, name="left")
        part = Signal(range(most), name="part")
        below = Signal(BITS * (most - 1), name="below", reset_less=True)  # the registers before
        whole, taken = C(0, 1), C(0, 1)
        for port, window in ports.items():
            size, chosen = window.slots_per_word, ~is_key if port is core.i else is_key
            at_end = chosen & (part == size - 1)
            m.d.comb += [port.payload.eq(Cat(below[BITS * (most - size):], source.q)),
                         port.valid.eq(at[_State.SEND] & at_end)]
            whole, taken = whole | at_end, taken | (at_end & port.ready)
        moves = at[_State.SEND] & (~whole | taken)
        with m.If(at[_State.REST]):
            m.d.sync += [place.eq(Mux(is_key, registers.window("OPERANDS").slots, 0)),
                         left.eq(self._words - 1), part.eq(0)]
        with m.Elif(moves):
            m.d.sync += [place.eq(place + 1), left.eq(left - whole),
                         part.eq(Mux(whole, 0, part + 1)), below.eq(Cat(below, source.q)[BITS:])]
        m.d.comb += source.address.eq(place)
        return moves, moves & whole & (left == 0)

    def _words_from(self, core, target, at):
        """Write the words of the result and the clocks, or zeros over them.

        Return whether a word is taken, whether the last part of a word is written, whether that is
        the end of the result, and whether the place is the last one.
        """
        m, registers = self.m, self.registers
        window = registers.window("RESULT")
        parts = window.slots_per_word
        place, part = Signal.like(target.address, name="to"), Signal(range(parts), name="part_to")
        rest = Signal(max(window.width - BITS, 0), name="rest", reset_less=True)
        clocks, counts = Signal(BITS, name="clocks"), Signal(name="counts")
        takes, wipes = at[_State.RESULT] & core.o.valid, at[_State.WIPE] & registers.clear
        stores = takes | at[_State.STORE]
        end = place == RESULT + window.slots - 1
        last = end
        if len(window.counts) > 1:
            # For each word of a result there are as many words of operands. Such results have words
            # of one register.
            each = registers.window("OPERANDS").words // window.words
            last = Mux(wipes, end, place == RESULT - 1 + (self._words >> exact_log2(each)))
        whole = stores & (part == parts - 1)
        m.d.comb += [
            core.o.ready.eq(at[_State.RESULT]),
            target.address.eq(Mux(at[_State.COUNT], CYCLES, place)),
            target.data.eq(gate(takes, core.o.payload[:BITS]) | gate(at[_State.STORE], rest[:BITS])
                           | gate(at[_State.COUNT], clocks)),
            target.write.eq(stores | wipes | at[_State.COUNT])]
        with m.If(at[_State.REST] | at[_State.CLEAR]):
            m.d.sync += place.eq(RESULT)
        with m.Elif(stores | (wipes & ~last)):
            m.d.sync += place.eq(place + 1)
        m.d.sync += part.eq(Mux(stores & ~whole, part + 1, 0))
        m.d.sync += rest.eq(Mux(takes, core.o.payload[BITS:], rest[BITS:]))
        # From the last word that the core accepted to the first one of its result.
        m.d.sync += [counts.eq(at[_State.SEND] | (counts & ~core.o.valid)),
                     clocks.eq(Mux(at[_State.SEND], 1, clocks + (counts & ~core.o.valid)))]
        # Where the core checks, ones alone stand for no result.
        with m.If(at[_State.REST]):
            m.d.sync += self._refused.eq(int(traits(registers.params).checks))
        with m.Elif(takes & ~core.o.payload.all()):
            m.d.sync += self._refused.eq(0)
        return takes, whole, whole & last, last | ~C(registers.clear, 1)


def _power(count):
    """Return the smallest power of two that is not below a number."""
    return 1 << (count - 1).bit_length()


def _fits(window, words):
    """Return whether the message in a window may have so many words."""
    if isinstance(window.counts, range):
        return (words != 0) & (words <= window.words)
    return words.matches(*window.counts)
