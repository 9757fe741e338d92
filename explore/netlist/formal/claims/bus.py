"""What the registers of a core see of each bus, to be proved, with masters that keep its rules."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from montgomery.blocks.values import later
from montgomery.bus.buses import BUSES, Access
from montgomery.bus.registers import BITS
from montgomery.bus.shell import Shell

from ..claim import Claim

__all__ = ["CLAIMS", "BusAccess"]

#: Most clocks from an access that is asked for to its answer.
_CLOCKS = Shell.LATENCY + 2
_SLVERR = 2


class BusAccess(wiring.Component):
    """A bus, with addresses of so many bits, before registers that hold their own numbers.

    Beside the ports of the bus there are ``number`` and ``data``: the register that is written, and
    with what, and ``write``, whether it is. Latency and throughput are those of
    :class:`~montgomery.bus.buses.Access`.
    """

    def __init__(self, bus, address_bits):
        self.bus, self.address_bits = bus, address_bits
        super().__init__({**BUSES[bus].members(address_bits), "number": Out(address_bits - 2),
                          "data": Out(BITS), "write": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.access = access = Access(self.address_bits - 2, "sync")
        BUSES[self.bus].connect(m, self, access)
        m.d.comb += [access.found.eq(later(m, access.number, Shell.LATENCY, "found")),
                     self.number.eq(access.number), self.data.eq(access.data),
                     self.write.eq(access.write)]
        return m


def _stays(m, waits, payload, name):
    """Return whether something that waited changes, or no longer waits."""
    before, waited = Signal.like(payload, name=f"{name}_before"), Signal(name=f"{name}_waited")
    m.d.sync += [before.eq(payload), waited.eq(waits[1])]
    return waited & (~waits[0] | (payload != before))


def _late(m, waits, name):
    """Return whether something waits for longer than an access takes."""
    clocks = Signal(range(_CLOCKS + 2), name=f"{name}_clocks")
    m.d.sync += clocks.eq(Mux(waits, clocks + 1, 0))
    return waits & (clocks == _CLOCKS)


def _axi_lite(m, block):
    wrong, broken, moves = {}, [], {}
    for name, payload in (("aw", [block.awaddr]), ("w", [block.wdata, block.wstrb]),
                          ("ar", [block.araddr]), ("b", [block.bresp]),
                          ("r", [block.rdata, block.rresp])):
        valid, ready = getattr(block, f"{name}valid"), getattr(block, f"{name}ready")
        moves[name] = valid & ready
        changes = _stays(m, (valid, valid & ~ready), Cat(payload), name)
        if name in ("b", "r"):
            wrong[f"{name}_stays"] = changes
        else:
            broken.append(changes)
            wrong[f"{name}_ready"] = ready & ~valid
    # Accesses that are accepted, and not yet answered.
    written, read, partial = (Signal(name=name) for name in ("written", "read", "partial"))
    number = Signal(block.address_bits - 2, name="read_number")
    m.d.sync += [written.eq((written & ~moves["b"]) | moves["aw"]),
                 read.eq((read & ~moves["r"]) | moves["ar"])]
    with m.If(moves["w"]):
        m.d.sync += partial.eq(~block.wstrb.all())
    with m.If(moves["ar"]):
        m.d.sync += number.eq(block.araddr[2:])
    asks = (block.awvalid & block.wvalid) | block.arvalid
    return wrong | {
        "apart": moves["aw"] != moves["w"],
        "more": (written & moves["aw"]) | (read & moves["ar"]),
        "b_unasked": block.bvalid & ~written, "r_unasked": block.rvalid & ~read,
        "b_late": _late(m, written & ~block.bvalid, "b"),
        "r_late": _late(m, read & ~block.rvalid, "r"),
        "late": _late(m, asks & ~(written | read | moves["aw"] | moves["ar"]), "asks"),
        "b_resp": block.bvalid & (block.bresp != Mux(partial, _SLVERR, 0)),
        "r_resp": block.rvalid & (block.rresp != 0),
        "found": block.rvalid & (block.rdata != number),
        "write": block.write != (moves["aw"] & block.wstrb.all()),
        "number": block.write & (block.number != block.awaddr[2:]),
        "data": block.write & (block.data != block.wdata),
        "unless": Cat(broken).any()}


def _wishbone(m, block):
    asks, answers = block.cyc & block.stb, block.ack | block.err
    # A master may give up an access, and ask for another one later.
    changes = _stays(m, (asks, asks & ~answers),
                     Cat(block.we, block.adr, block.dat_w, block.sel), "access")
    return _one_answer(
        m, block, asks=asks, is_write=block.we, number=block.adr, data=block.dat_w,
        strobes=block.sel, answers=answers, fails=block.err, found=block.dat_r) | {
        "both": block.ack & block.err, "unless": asks & changes}


def _apb(m, block):
    payload = Cat(block.paddr, block.pwrite, block.pwdata, block.pstrb)
    asks, is_setup = block.psel & block.penable, block.psel & ~block.penable
    goes_on, setup = Signal(name="goes_on"), is_setup | (asks & ~block.pready)
    m.d.sync += goes_on.eq(setup)
    return _one_answer(
        m, block, asks=asks, is_write=block.pwrite, number=block.paddr[2:], data=block.pwdata,
        strobes=block.pstrb, answers=block.pready, fails=block.pslverr, found=block.prdata) | {
        "fails": block.pslverr & ~block.pready,
        "unless": (block.penable & ~goes_on) | _stays(m, (asks, setup), payload, "access")}


def _one_answer(m, block, *, asks, is_write, number, data, strobes, answers, fails, found):
    """Claim that an access that is asked for until it is answered is answered and done once."""
    done = Signal(name="done")
    m.d.sync += done.eq((done | block.write) & asks & ~answers)
    return {
        "unasked": answers & ~asks, "late": _late(m, asks & ~answers, "access"),
        "twice": block.write & done,
        "write": block.write & ~(asks & is_write & strobes.all()),
        "number": block.write & (block.number != number),
        "data": block.write & (block.data != data),
        "lost": answers & is_write & strobes.all() & ~done,
        "refused": answers & (fails != (is_write & ~strobes.all())),
        "found": answers & ~is_write & (found != number)}


CLAIMS = [
    Claim(text=f"{bus}: an access is done and answered once", create=BusAccess,
          check=check, sizes=({"bus": bus, "address_bits": 4}, {"bus": bus, "address_bits": 7}))
    for bus, check in (("axi-lite", _axi_lite), ("wishbone", _wishbone), ("apb", _apb))]
