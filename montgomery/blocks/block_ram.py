"""A block RAM with its output registers, the same on every device."""

from amaranth.hdl import C, Cat, ClockSignal, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..technology import technology_of
from .values import DeviceBlock, padded

__all__ = ["BlockRam", "port_signature"]


def port_signature(width, depth):
    """Return the signature of a port of :class:`BlockRam`, as the user sees it.

    With ``write``, ``data`` is written instead of reading; else ``q`` is the word that was read two
    clocks ago. While ``enable`` is low, which is high if not connected, the registers stay.
    """
    return wiring.Signature({
        "enable": Out(1, init=1), "address": Out(range(depth)), "write": Out(1),
        "data": Out(width), "q": In(width)})


class BlockRam(wiring.Component):
    """Memory with two ports that read or write, and a register behind its outputs.

    Without that register, reading takes most of a clock. It lies in the block where the block has
    one that synthesis can be made to use, elsewhere in logic.

    What a port reads that the other one writes in the same clock is undefined, since devices
    differ; only one port may write in a clock. Outputs are 0 at first, and so are contents that
    ``init`` does not give, if the device was configured after power-up; nothing resets them.

    On an ECP5, Virtex-6 and 7-series, and up to 2048 words on an iCE40, the blocks are instances,
    as many as the bits need. The blocks of an iCE40 have one port that reads and one that writes;
    so there are two copies, and the output registers are in logic. Elsewhere synthesis chooses,
    with two copies too, since it finds no memory with two ports that both write.

    Latency: :attr:`LATENCY` clocks from ``address`` to ``q``. Throughput: each port reads or writes
    a word per clock.

    ``depth`` is 2 or more, and no more than 16384 for an ECP5, Virtex-6 or 7-series. With ``init``,
    the first words, there are instances on an ECP5 alone.
    ``domains`` are the clock domains of the ports; if they differ, port ``b`` only reads.
    """

    LATENCY = 2

    def __init__(self, width, depth, init=(), domains=("sync", "sync")):
        self.width, self.depth, self.init = width, depth, init
        self.domains = dict(zip("ab", domains, strict=True))
        port = port_signature(width, depth)
        super().__init__({"a": In(port), "b": In(port)})

    def elaborate(self, platform):
        technology = technology_of(platform).name
        instance = _INSTANCES.get(technology)
        if self.init and technology != "ecp5":
            instance, technology = None, ""
        slices = [] if instance is None else self._slices()
        m = Module()
        if instance is not None:
            for index, (part, bits, shift) in enumerate(slices):
                m.submodules[f"block_{index}"] = instance(m, self, part, bits, shift)
        elif technology.startswith("ice40") and self.depth <= 2048:
            self._copies(m, _sb_ram40_4k)
        else:
            self._copies(m, _memory)
        return m

    def _slices(self):
        """Return, for each block, its bits of a word, the bits of its words, and their log2."""
        shape = next(((bits, shift) for bits, shift in ((18, 4), (9, 3), (4, 2), (2, 1), (1, 0))
                      if self.depth << shift <= 1 << 14), None)
        if shape is None:
            raise ValueError(f"Depth of a memory of instances must be {1 << 14} or less, not "
                             f"{self.depth}; use several memories")
        bits, shift = shape
        return [(slice(start, min(start + bits, self.width)), bits, shift)
                for start in range(0, self.width, bits)]

    def _copies(self, m, copy):
        a, b = self.a, self.b
        writes_a = a.enable & a.write
        write = Signal(range(self.depth))
        enable = Signal()
        data = Signal(self.width)
        writes_b = b.enable & b.write if self.domains["a"] == self.domains["b"] else 0
        m.d.comb += [enable.eq(writes_a | writes_b),
                     write.eq(Mux(writes_a, a.address, b.address)),
                     data.eq(Mux(writes_a, a.data, b.data))]
        for name in ("a", "b"):
            port = getattr(self, name)
            found = Signal(self.width, name=f"{name}_found")
            q = Signal(self.width, name=f"{name}_q", reset_less=True)
            copy(m, self, name, enable, write, data, found)
            m.d.comb += port.q.eq(q)
            with m.If(port.enable):
                m.d[self.domains[name]] += q.eq(found)


def _memory(m, ram, name, enable, address, data, found):
    m.submodules[f"copy_{name}"] = memory = Memory(shape=ram.width, depth=ram.depth,
                                                         init=ram.init)
    write = memory.write_port(domain=ram.domains["a"])
    read = memory.read_port(domain=ram.domains[name])
    port = getattr(ram, name)
    m.d.comb += [write.en.eq(enable), write.addr.eq(address), write.data.eq(data),
                 read.en.eq(port.enable), read.addr.eq(port.address), found.eq(read.data)]


def _sb_ram40_4k(m, ram, name, enable, address, data, found):
    port = getattr(ram, name)
    # In a mode, only some pins are in use.
    mode = max((ram.depth - 1).bit_length() - 8, 0)
    pins = (range(16), range(0, 16, 2), range(1, 16, 4), range(3, 16, 8))[mode]
    for start in range(0, ram.width, len(pins)):
        used = dict(zip(pins, range(start, ram.width), strict=False))
        read = Signal(16, name=f"{name}_{start}_data")
        m.d.comb += [found[bit].eq(read[pin]) for pin, bit in used.items()]
        m.submodules[f"copy_{name}_{start}"] = DeviceBlock(
            "SB_RAM40_4K", p_READ_MODE=mode, p_WRITE_MODE=mode,
            i_RCLK=ClockSignal(ram.domains[name]), i_RCLKE=port.enable, i_RE=C(1, 1),
            i_RADDR=padded(port.address, 11),
            i_WCLK=ClockSignal(ram.domains["a"]), i_WCLKE=enable, i_WE=C(1, 1),
            i_WADDR=padded(address, 11), i_MASK=C(0, 16), o_RDATA=read,
            i_WDATA=Cat(data[used[pin]] if pin in used else C(0, 1) for pin in range(16)))


# In both of these the address counts single bits. All inputs are connected, since to yosys's
# optimisations one that is open may be anything.

def _dp16kd(m, memory, part, bits, shift):
    connections = {}
    for side, port in (("A", memory.a), ("B", memory.b)):
        out = Signal(part.stop - part.start, name=f"{side.lower()}_out")
        m.d.comb += port.q[part].eq(out)
        # Words of 18 bits have a write enable for each half among the address bits.
        address = Cat(C(0b11 if bits == 18 else 0, shift), port.address)
        connections |= {f"i_CLK{side}": ClockSignal(memory.domains[side.lower()]),
                        f"i_CE{side}": port.enable,
                        f"i_OCE{side}": port.enable, f"i_WE{side}": port.write, f"i_RST{side}": 0,
                        **{f"i_CS{side}{bit}": 0 for bit in range(3)},
                        **_bits(f"i_AD{side}", address, 14),
                        **_bits(f"i_DI{side}", port.data[part], 18),
                        **_bits(f"o_DO{side}", out, len(out))}
    return DeviceBlock(
        "DP16KD", p_DATA_WIDTH_A=bits, p_DATA_WIDTH_B=bits, p_REGMODE_A="OUTREG",
        p_REGMODE_B="OUTREG", p_WRITEMODE_A="NORMAL", p_WRITEMODE_B="NORMAL", p_RESETMODE="SYNC",
        p_CSDECODE_A="0b000", p_CSDECODE_B="0b000", p_GSR="DISABLED",
        **_contents(memory.init, part, bits), **connections)


def _contents(init, part, bits):
    """Return the parameters for the first words: of 18 bits each, in twenty, sixteen in one.

    Words of 1, 2 and 4 bits fill the lower 8 bits of each byte of 9.
    """
    def place(index):
        byte, bit = divmod(index * bits, 8)
        return index * bits if bits >= 9 else 9 * byte + bit

    whole = sum((word >> part.start & (1 << bits) - 1) << place(index)
                for index, word in enumerate(init))
    units = [whole >> 18 * index & (1 << 18) - 1 for index in range(-(-place(len(init)) // 18))]
    return {f"p_INITVAL_{index // 16:02X}": C(sum(
        unit << 20 * place for place, unit in enumerate(units[index:index + 16])), 320)
        for index in range(0, len(units), 16)}


def _bits(bus, value, count):
    return {f"{bus}{bit}": value[bit] if bit < len(value) else 0 for bit in range(count)}


def _ramb18e1(m, memory, part, bits, shift):
    connections = {}
    for side, port, clock, names in (
            ("A", memory.a, "CLKARDCLK", ("ENARDEN", "REGCEAREGCE", "RSTRAMARSTRAM",
                                          "RSTREGARSTREG", "ADDRARDADDR")),
            ("B", memory.b, "CLKBWRCLK", ("ENBWREN", "REGCEB", "RSTRAMB", "RSTREGB",
                                          "ADDRBWRADDR"))):
        enable, enable_register, reset, reset_register, address = names
        out, parity = Signal(16, name=f"{side.lower()}_out"), Signal(2, name=f"{side}_parity")
        data = padded(port.data[part], bits)
        # The ninth bit of each byte has ports of its own.
        main = bits - bits // 9
        m.d.comb += port.q[part].eq(Cat(out[:main], parity))
        writes = ("WEA", 2) if side == "A" else ("WEBWE", 4)
        connections |= {
            f"i_{clock}": ClockSignal(memory.domains[side.lower()]),
            f"i_{enable}": port.enable,
            f"i_{enable_register}": port.enable, f"i_{reset}": C(0, 1),
            f"i_{reset_register}": C(0, 1),
            f"i_{address}": padded(Cat(C(0, shift), port.address), 14),
            f"i_{writes[0]}": port.write.replicate(writes[1]),
            f"i_DI{side}DI": padded(data[:main], 16),
            f"i_DIP{side}DIP": padded(data[main:], 2),
            f"o_DO{side}DO": out, f"o_DOP{side}DOP": parity,
        }
    return DeviceBlock(
        "RAMB18E1", p_RAM_MODE="TDP", p_READ_WIDTH_A=bits, p_READ_WIDTH_B=bits,
        p_WRITE_WIDTH_A=bits, p_WRITE_WIDTH_B=bits, p_DOA_REG=1, p_DOB_REG=1,
        p_WRITE_MODE_A="NO_CHANGE", p_WRITE_MODE_B="NO_CHANGE", p_SIM_DEVICE="7SERIES",
        **connections)


_INSTANCES = {"ecp5": _dp16kd, "xilinx-7": _ramb18e1}
