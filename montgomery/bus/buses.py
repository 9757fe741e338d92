"""A core on a bus: AXI4-Lite, Wishbone B4 or APB4, of 32 bits."""

import dataclasses
from collections.abc import Callable

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .registers import BITS, RegisterMap
from .shell import Shell

__all__ = ["BUSES", "Access", "Bus", "BusCore"]

_BYTES = BITS // 8


class Access(wiring.Component):
    """Makes accesses of a bus, one after the other, accesses of registers.

    Latency: a write is answered two clocks after it is asked for, a read
    :attr:`~.shell.Shell.LATENCY` clocks later than a write. Throughput: an access at a time.

    Parameters
    ----------
    address_bits : :class:`int`
        Of the number of a register.
    domain : :class:`str`
        The clock domain.
    """

    def __init__(self, address_bits, domain):
        self._domain = domain
        super().__init__({
            # An access is asked for until ``begins`` is 1, and its data stay for that clock.
            "asks": In(1), "is_write": In(1), "address": In(address_bits), "data": In(BITS),
            "bytes": In(_BYTES), "begins": Out(1),
            # An access is given up, and what is under way gets no answer.
            "drops": In(1),
            # It has been done, until that is taken; a write of some bytes alone is refused.
            "answers": Out(1), "taken": In(1), "writes": Out(1), "refuses": Out(1), "q": Out(BITS),
            # To the shell.
            "number": Out(address_bits), "write": Out(1), "found": In(BITS)})

    def elaborate(self, platform):
        m, domain = Module(), self._domain
        waited = Signal(Shell.LATENCY, name="waited")
        rests = ~(self.begins | waited.any() | self.answers)
        m.d[domain] += [
            self.begins.eq(rests & self.asks),
            waited.eq(Cat(self.begins & ~self.writes, waited[:-1])),
            self.answers.eq((self.begins & self.writes) | waited[-1]
                            | (self.answers & ~self.taken))]
        with m.If(self.drops):
            m.d[domain] += [self.begins.eq(0), waited.eq(0), self.answers.eq(0)]
        with m.If(rests):
            m.d[domain] += [self.number.eq(self.address), self.writes.eq(self.is_write)]
        with m.If(self.begins):
            m.d[domain] += self.refuses.eq(self.writes & ~self.bytes.all())
        m.d.comb += [self.write.eq(self.begins & self.writes & self.bytes.all() & ~self.drops),
                     self.q.eq(self.found)]
        return m


@dataclasses.dataclass(frozen=True)
class Bus:
    """A bus.

    Attributes
    ----------
    title : :class:`str`
    prefix : :class:`str`
        How the names of ports begin.
    members : callable
        Takes the bits of the address of a byte, and returns the ports as members of a signature.
    connect : callable
        Takes the module, the ports and an :class:`Access`.
    write, read : :class:`int`
        Clocks of an access, from one to the next.
    """

    title: str
    prefix: str
    members: Callable
    connect: Callable
    write: int = 3
    read: int = 6

    def clocks(self, registers):
        """Return the clocks of the bus and of the core that an operation takes with its key loaded.

        Software writes operands and START, reads STATUS once the operation has ended, and reads the
        result; neither software nor bus waits. These are the clocks of its accesses, and those from
        START to DONE. What crosses to another clock takes about three of that.
        """
        result, operands = registers.window("RESULT"), registers.window("OPERANDS")
        cycles, crossing = registers.params.cycles, 3 * registers.own_clock
        accesses = self.write * (operands.slots + 1) + self.read * (result.slots + 1)
        # The memory and the core take turns, in both directions.
        load = max(cycles.load, 3 * operands.slots + operands.words - 1)
        unload = max(cycles.unload, result.slots + result.words)
        return accesses + crossing, load + cycles.compute + unload + 2 + crossing


def _axi_lite(bits):
    def channel(name, flow, **payload):
        back = In if flow is Out else Out
        return {f"{name}valid": flow(1), f"{name}ready": back(1),
                **{name + key: flow(width) for key, width in payload.items()}}

    return (channel("aw", In, addr=bits, prot=3) | channel("w", In, data=BITS, strb=_BYTES)
            | channel("b", Out, resp=2) | channel("ar", In, addr=bits, prot=3)
            | channel("r", Out, data=BITS, resp=2))


def _to_axi_lite(m, port, access):
    # No output depends on an input in the same clock: ready follows valid a clock later.
    writes = port.awvalid & port.wvalid
    m.d.comb += [
        access.asks.eq(writes | port.arvalid), access.is_write.eq(writes),
        access.address.eq(Mux(writes, port.awaddr, port.araddr)[2:]),
        access.data.eq(port.wdata), access.bytes.eq(port.wstrb),
        port.awready.eq(access.begins & access.writes),
        port.wready.eq(access.begins & access.writes),
        port.arready.eq(access.begins & ~access.writes),
        port.bvalid.eq(access.answers & access.writes), port.bresp.eq(Cat(C(0, 1), access.refuses)),
        port.rvalid.eq(access.answers & ~access.writes), port.rdata.eq(access.q),
        access.taken.eq(Mux(access.writes, port.bready, port.rready))]


def _wishbone(bits):
    return {"cyc": In(1), "stb": In(1), "we": In(1), "adr": In(bits - 2), "dat_w": In(BITS),
            "sel": In(_BYTES), "dat_r": Out(BITS), "ack": Out(1), "err": Out(1)}


def _to_wishbone(m, port, access):
    # A master, or what ends the cycles of slow slaves, may give up an access.
    asks = port.cyc & port.stb
    m.d.comb += [
        access.asks.eq(asks), access.drops.eq(~asks), access.is_write.eq(port.we),
        access.address.eq(port.adr), access.data.eq(port.dat_w), access.bytes.eq(port.sel),
        port.dat_r.eq(access.q), access.taken.eq(1),
        port.ack.eq(asks & access.answers & ~access.refuses),
        port.err.eq(asks & access.answers & access.refuses)]


def _apb(bits):
    return {"paddr": In(bits), "pprot": In(3), "psel": In(1), "penable": In(1), "pwrite": In(1),
            "pwdata": In(BITS), "pstrb": In(_BYTES), "pready": Out(1), "prdata": Out(BITS),
            "pslverr": Out(1)}


def _to_apb(m, port, access):
    m.d.comb += [
        access.asks.eq(port.psel & port.penable), access.is_write.eq(port.pwrite),
        access.address.eq(port.paddr[2:]), access.data.eq(port.pwdata),
        access.bytes.eq(port.pstrb), port.prdata.eq(access.q), access.taken.eq(1),
        port.pready.eq(access.answers), port.pslverr.eq(access.answers & access.refuses)]


#: The buses, by the names that commands take.
BUSES = {
    "axi-lite": Bus("AXI4-Lite", "s_axi", _axi_lite, _to_axi_lite),
    "wishbone": Bus("Wishbone B4, classic cycles", "wb", _wishbone, _to_wishbone),
    "apb": Bus("APB4", "s_apb", _apb, _to_apb, write=4, read=7)}


class BusCore(wiring.Component):
    """A core with a register map on a bus.

    Latency and throughput: those of :class:`Access`, :class:`~.shell.Shell` and the core.

    Parameters
    ----------
    params : :class:`montgomery.CoreParameters`
        Of the core.
    bus : :class:`str`
        Name of the bus, of :data:`BUSES`.
    clear : :class:`bool`
        Have the command CLEAR wipe all that the core was sent; else it resets the core.
    own_clock : :class:`bool`
        Give the core a clock of its own, ``core_clk``; the bus has ``bus_clk`` and ``bus_rst``.

    Members
    -------
    s_axi, wb or s_apb : :py:`In(...)`
        The bus.
    irq : :py:`Out(1)`
        The interrupt: high until software has cleared what it stands for.
    core_clk : :py:`In(1)`
        Only with ``own_clock``.
    """

    #: The core inside, once this is elaborated.
    core = None

    def __init__(self, params, bus, *, clear=False, own_clock=False):
        self.bus = BUSES[bus]
        self.registers = RegisterMap(params, clear, own_clock)
        super().__init__({
            self.bus.prefix: In(wiring.Signature(self._flipped())), "irq": Out(1),
            **({"core_clk": In(1)} if own_clock else {})})

    def _flipped(self):
        # Members are written as the core sees them; a signature says what the other side drives.
        return {name: member.flip() for name, member in
                self.bus.members(self.registers.address_bits).items()}

    def elaborate(self, platform):
        m = Module()
        m.submodules.shell = shell = Shell(self.registers)
        self.core = shell.core
        m.submodules.access = access = Access(self.registers.address_bits - 2, shell.bus)
        self.bus.connect(m, getattr(self, self.bus.prefix), access)
        m.d.comb += [shell.address.eq(access.number), shell.data.eq(access.data),
                     shell.write.eq(access.write), access.found.eq(shell.q),
                     self.irq.eq(shell.irq)]
        if self.registers.own_clock:
            m.d.comb += shell.core_clk.eq(self.core_clk)
        return m
