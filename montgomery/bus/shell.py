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


class _State(enum.Enum):
    """What the side of the core does.

    FETCH reads a register of a message, and SEND offers the core a word when all registers of the
    word were read. RESULT takes a word of the result, and STORE writes it, a register a clock.
    COUNT writes the clocks of an operation. CLEAR resets or clears the core, and WIPE writes zeros
    over the result.
    """

    REST, FETCH, SEND, RESULT, STORE, COUNT, CLEAR, WIPE = range(8)


class Shell(wiring.Component):
    """The registers of a core, and the core.

    A memory that the bus writes holds the operands and the key. A memory that the bus reads holds
    the constant registers, the clocks and the result. The other side of both memories belongs to
    the core, and so to the clock of the core if it has one of its own. A command crosses as a bit
    that changes, and the end of the command as another one; all else stays in between.

    Latency: ``q`` is the register at ``address`` :attr:`LATENCY` clocks later. A register of a
    message takes three clocks on its way to the core, and one on its way back; a word takes one
    more in each direction. Throughput: an operation at a time.

    Parameters
    ----------
    registers : :class:`~.registers.RegisterMap`
    overlaps : :class:`bool`
        Take words of a message also while the core is still being cleared. Only for one clock.
    """

    LATENCY = BlockRam.LATENCY + 1

    def __init__(self, registers: RegisterMap, *, overlaps: bool = False):
        self.registers, self._overlaps = registers, overlaps
        p = registers.params
        self.core = Clearable(p) if registers.clear else p.create()
        #: Clock domain of the bus.
        self.bus = "bus" if registers.own_clock else "sync"
        super().__init__({
            # The number of a register, which stays until it was read, or a clock after its write.
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
        constants = registers.constants
        m.submodules.written = written = BlockRam(
            BITS, _power(slots), domains=(self.bus, "sync"))
        m.submodules.read = read = BlockRam(
            BITS, _power(max(RESULT + result.slots, len(constants))), constants,
            domains=("sync", self.bus))

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
        clearing, wiping, busy, was_busy = (
            Signal(name=name) for name in ("clearing", "wiping", "busy", "was_busy"))
        # Of the memory for operands and keys, which is free while the core is cleared.
        used = (self._asked != self._ended) | wiping if self._overlaps else busy
        # A write takes effect a clock later, when it is known what it means.
        data = Signal(BITS, name="written", reset_less=True)
        commands, clears_bits, stores, too_early = (
            Signal(name=name) for name in ("commands", "clears_bits", "stores", "too_early"))
        fits = {window.name: Signal(name=f"fits_{window.name}")
                for window in self.registers.windows[1:]}
        bus += [data.eq(self.data), stores.eq(self.write & in_window & ~used),
                too_early.eq(self.write & in_window & used),
                commands.eq(self.write & ~in_window & (number == CONTROL)),
                clears_bits.eq(self.write & ~in_window & (number == STATUS)),
                *(each.eq(_fits(self.registers.window(name), self.data[16:]))
                  for name, each in fits.items())]
        acknowledges = gate(clears_bits, data)
        start, load, clear = (bit & commands for bit in data[:3])

        m.d.comb += [
            clearing.eq(self._cleared != self._seen(self._wiped, self.bus)),
            busy.eq((self._asked != self._seen(self._ended, self.bus)) | clearing | wiping)]
        done, refused, has_key, enable = (
            Signal(name=name) for name in ("done", "is_refused", "has_key", "enable"))
        errors = Signal(3, name="errors")
        starts, loads = Signal(name="starts"), Signal(name="loads")  # what is being done
        ends = was_busy & ~busy

        # -- Commands.
        right, lacks_key = fits["OPERANDS"] & ~load, C(0, 1)
        if p.k_words:
            right = Mux(load, fits["KEY"] & ~start, right)
            lacks_key = start & ~has_key
        asks, goes = Signal(name="asks"), Signal(name="goes")
        m.d.comb += [asks.eq((start | load) & ~clear), goes.eq(asks & ~busy & right & ~lacks_key)]
        bus += [was_busy.eq(busy), errors.eq((errors & ~acknowledges[8:11]) | Cat(
            too_early | (asks & busy), asks & ~busy & right & lacks_key, asks & ~busy & ~right))]
        with m.If(commands):
            bus += enable.eq(data[3])
        with m.If(goes):
            bus += [self._asked.eq(~self._asked), self._words.eq(data[16:]),
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
        place = number[:len(to_core.address)]
        if self.registers.clear:
            wiped = Signal.like(to_core.address, name="wiped_to")
            with m.If(clear):
                bus += [wiping.eq(1), wiped.eq(0)]
            with m.Elif(wiping):
                bus += [wiping.eq(~wiped.all()), wiped.eq(wiped + 1)]
            place, data = Mux(wiping, wiped, place), gate(~wiping, data)
        m.d.comb += [to_core.address.eq(place), to_core.data.eq(data),
                     to_core.write.eq(stores | wiping), from_core.address.eq(number)]
        # The memory holds 0 for the registers that are not in it.
        bus += self.q.eq(
            from_core.q | gate(number == CONTROL, enable << 3)
            | gate(number == STATUS, Cat(busy | was_busy, done, refused, has_key, C(0, 4), errors)))
        with m.If(in_window):
            bus += self.q.eq(0)

    # -- In the clock of the core. What the core says goes to a register within a gate or two, so
    # that the clock of the core is what it is without a bus.

    def _of_core(self, source, target):
        m, registers = self.m, self.registers
        is_key = self._is_key if registers.params.k_words else C(0, 1)
        at = {each: Signal(name=each.name.lower(), init=each is _State.REST) for each in _State}
        core, cleared = self.core, C(1, 1)
        if registers.clear:
            m.submodules.core = core
            m.d.comb += core.clear.eq(at[_State.CLEAR])
            cleared = ~core.busy
        else:
            m.submodules.core = ResetInserter(at[_State.CLEAR])(core)
        waited = Signal(range(_RESET), name="waited")
        m.d.sync += waited.eq(Mux(at[_State.FETCH] | at[_State.CLEAR], waited + 1, 0))
        read = at[_State.FETCH] & (waited == BlockRam.LATENCY - 1)
        offers, moves, last_moves = self._words_to(core, source, at, read)
        takes, whole, last = self._words_from(core, target, at, offers, is_key)

        asks, clears = self._seen(self._asked, "sync"), self._seen(self._cleared, "sync")
        wiped = at[_State.WIPE] & cleared & (last | ~C(registers.clear, 1))
        with m.If(at[_State.COUNT] | wiped):
            m.d.sync += self._ended.eq(asks)
        # A command that came just before is over too, now that it has been seen.
        with m.If(wiped):
            m.d.sync += self._wiped.eq(clears)
        arrows = (
            (_State.REST, asks != self._ended, _State.FETCH), (_State.FETCH, read, _State.SEND),
            (_State.SEND, moves & ~last_moves, _State.FETCH),
            (_State.SEND, last_moves & ~is_key, _State.RESULT),
            (_State.SEND, last_moves & is_key, _State.COUNT),
            (_State.RESULT, takes, _State.STORE), (_State.STORE, whole & ~last, _State.RESULT),
            (_State.STORE, whole & last, _State.COUNT), (_State.COUNT, C(1, 1), _State.REST),
            (_State.CLEAR, waited == _RESET - 1, _State.WIPE), (_State.WIPE, wiped, _State.REST))
        stops = Signal(name="stops")
        m.d.sync += stops.eq((clears != self._wiped) & ~at[_State.CLEAR] & ~at[_State.WIPE])
        for each in _State:
            leaves, comes = C(0, 1), stops if each is _State.CLEAR else C(0, 1)
            for before, condition, then in arrows:
                if before is each:
                    leaves |= condition
                if then is each:
                    comes |= at[before] & condition & ~stops
            m.d.sync += at[each].eq(comes | (at[each] & ~leaves & ~stops))

    def _words_to(self, core, source, at, read):
        """Send words to the core, from the lowest register of each to the highest one.

        A word is offered when the last register of it was ``read``. Return whether one is, whether
        a register is done with, and whether it was the last one of the message.
        """
        m, registers = self.m, self.registers
        ports = {core.i: registers.window("OPERANDS")}
        if registers.params.k_words:
            ports[core.k] = registers.window("KEY")
        is_key = self._is_key if len(ports) > 1 else C(0, 1)
        most = max(window.slots_per_word for window in ports.values())
        place = Signal.like(source.address, name="place")
        left, is_last = Signal.like(self._words, name="left"), Signal(name="is_last")
        part = Signal(range(most), name="part")
        below = Signal(BITS * (most - 1), name="below", reset_less=True)  # the registers before
        whole, offers = C(0, 1), C(0, 1)
        for port, window in ports.items():
            size, chosen = window.slots_per_word, ~is_key if port is core.i else is_key
            at_end = chosen & (part == size - 1)
            offered = Signal(name=f"offered_{window.name}")
            m.d.comb += [port.payload.eq(Cat(below[BITS * (most - size):], source.q)),
                         port.valid.eq(offered)]
            m.d.sync += offered.eq(((offered & ~port.ready) | (read & at_end)) & ~at[_State.CLEAR])
            whole, offers = whole | at_end, offers | offered
        moves = at[_State.SEND] & ~offers
        m.d.sync += is_last.eq(left == 0)
        with m.If(at[_State.REST]):
            m.d.sync += [place.eq(Mux(is_key, registers.window("OPERANDS").slots, 0)),
                         left.eq(self._words - 1), part.eq(0)]
        with m.Elif(moves):
            m.d.sync += [place.eq(place + 1), left.eq(left - whole),
                         part.eq(Mux(whole, 0, part + 1)), below.eq(Cat(below, source.q)[BITS:])]
        with m.If(at[_State.CLEAR]):
            m.d.sync += below.eq(0)
        m.d.comb += source.address.eq(place)
        return offers, moves, moves & whole & is_last

    def _words_from(self, core, target, at, offers, is_key):
        """Write the words of the result and the clocks, or zeros over them.

        Return whether a word is taken, whether the last part of a word is written, and whether the
        place is the last one.
        """
        m, window = self.m, self.registers.window("RESULT")
        parts, end = window.slots_per_word, RESULT + window.slots - 1
        place, part = Signal.like(target.address, name="to"), Signal(range(parts), name="part_to")
        word, last = Signal(window.width, name="word", reset_less=True), Signal(name="at_last")
        clocks, counts = Signal(BITS, name="clocks"), Signal(name="counts")
        wipes = at[_State.WIPE] & self.registers.clear
        steps, whole = at[_State.STORE] | (wipes & ~last), part == parts - 1
        m.d.comb += [
            core.o.ready.eq(at[_State.RESULT]),
            target.address.eq(Mux(at[_State.COUNT], CYCLES, place)),
            target.data.eq(gate(at[_State.STORE], word[:BITS]) | gate(at[_State.COUNT], clocks)),
            target.write.eq(at[_State.STORE] | wipes | (at[_State.COUNT] & ~is_key))]
        before = end - 1
        if len(window.counts) > 1:
            # For each word of a result there are as many words of operands. Such results have words
            # of one register.
            each, most = self.registers.window("OPERANDS").words // window.words, before
            before, end = Signal.like(place, name="before"), Signal.like(place, name="end")
            m.d.sync += [
                before.eq(Mux(at[_State.CLEAR] | wipes, most,
                              RESULT - 2 + (self._words >> exact_log2(each)))),
                end.eq(before + 1)]
        m.d.sync += last.eq(Mux(steps, place == before, place == end))
        with m.If(at[_State.REST] | at[_State.CLEAR]):
            m.d.sync += place.eq(RESULT)
        with m.Elif(steps):
            m.d.sync += place.eq(place + 1)
        m.d.sync += [part.eq(Mux(at[_State.STORE] & ~whole, part + 1, 0)),
                     word.eq(Mux(at[_State.RESULT], core.o.payload, word[BITS:]))]
        # From the last word that the core accepted to the first one of its result.
        m.d.sync += [counts.eq(offers | (counts & ~core.o.valid)),
                     clocks.eq(Mux(offers, 0, clocks + counts))]
        # Where the core checks, ones alone stand for no result.
        with m.If(at[_State.FETCH]):
            m.d.sync += self._refused.eq(int(traits(self.registers.params).checks))
        with m.Elif(at[_State.STORE] & (part == 0) & ~word.all()):
            m.d.sync += self._refused.eq(0)
        return at[_State.RESULT] & core.o.valid, whole, last


def _power(count):
    """Return the smallest power of two that is not below a number."""
    return 1 << (count - 1).bit_length()


def _fits(window, words):
    """Return whether the message in a window may have so many words."""
    if isinstance(window.counts, range):
        return (words != 0) & (words <= window.words)
    return words.matches(*window.counts)
