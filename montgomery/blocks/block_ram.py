"""A block RAM with its output registers, the same on every device."""

from amaranth.hdl import C, Cat, ClockSignal, Instance, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..core import ceil_div
from ..technology import technology_of

__all__ = ["BlockRam", "PortSignature"]


class PortSignature(wiring.Signature):
    """A port of :class:`BlockRam`, as the user sees it.

    Parameters
    ----------
    width, depth : :class:`int`
        Of the memory.

    Members
    -------
    enable : :py:`Out(1)`
        While this is low, the port does nothing and its registers stay. High if not connected.
    address : :py:`Out(range(depth))`
    write : :py:`Out(1)`
        Write ``data`` instead of reading.
    data : :py:`Out(width)`
    q : :py:`In(width)`
        The word that was read two clocks ago. A clock that writes repeats what was read before it.
    """

    def __init__(self, width, depth):
        self.width, self.depth = width, depth
        super().__init__({
            "enable": Out(1, init=1), "address": Out(range(depth)), "write": Out(1),
            "data": Out(width), "q": In(width),
        })

    def __eq__(self, other):
        return (type(other) is type(self)
                and (other.width, other.depth) == (self.width, self.depth))


class BlockRam(wiring.Component):
    """Memory with two ports that read or write, and a register behind its outputs.

    Without that register, reading takes most of a clock. It lies in the block where the block has
    one that synthesis can be made to use, elsewhere in logic.

    Two things are undefined, since devices differ: what a port reads that the other one writes in
    the same clock, and what is stored if both write. Contents and outputs are 0 at first on all
    devices but the iCE40 UltraPlus with a warm boot, and nothing resets them.

    On an iCE40, whose blocks have a port that reads and one that writes, there are two copies. On
    an ECP5 the blocks are instances; elsewhere synthesis chooses.

    Parameters
    ----------
    width : :class:`int`
        Bits a word.
    depth : :class:`int`
        Number of words, 2 or more.

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks from ``address`` to ``q``.

    Members
    -------
    a, b : :py:`In(PortSignature(width, depth))`

    Raises
    ------
    ValueError
        When it is elaborated for an ECP5 and one bit of all words does not fit a block.
    """

    LATENCY = 2

    def __init__(self, width, depth):
        self.width, self.depth = width, depth
        port = PortSignature(width, depth)
        super().__init__({"a": In(port), "b": In(port)})

    def elaborate(self, platform):
        m = Module()
        technology = technology_of(platform).name
        if technology == "ecp5":
            self._ecp5(m)
        elif technology.startswith("ice40"):
            self._copies(m)
        else:
            memory = self._memory(m, "memory")
            for name in ("a", "b"):
                port = getattr(self, name)
                self._connect_write(m, memory, port.enable & port.write, port.address, port.data)
                self._connect_read(m, memory, name)
        return m

    def _memory(self, m, name):
        m.submodules[name] = memory = Memory(shape=self.width, depth=self.depth, init=[])
        return memory

    @staticmethod
    def _connect_write(m, memory, enable, address, data):
        port = memory.write_port()
        m.d.comb += [port.en.eq(enable), port.addr.eq(address), port.data.eq(data)]

    def _connect_read(self, m, memory, name):
        port, read = getattr(self, name), memory.read_port()
        q = Signal(self.width, name=f"{name}_q", reset_less=True)
        m.d.comb += [read.en.eq(port.enable & ~port.write), read.addr.eq(port.address),
                     port.q.eq(q)]
        with m.If(port.enable):
            m.d.sync += q.eq(read.data)

    def _copies(self, m):
        a, b = self.a, self.b
        writes_a = a.enable & a.write
        for name in ("a", "b"):
            memory = self._memory(m, f"copy_{name}")
            self._connect_write(m, memory, writes_a | (b.enable & b.write),
                                Mux(writes_a, a.address, b.address),
                                Mux(writes_a, a.data, b.data))
            self._connect_read(m, memory, name)

    def _ecp5(self, m):
        # The widest words of a block that is deep enough; the address counts single bits.
        shape = next(((bits, shift) for bits, shift in ((18, 4), (9, 3), (4, 2), (2, 1), (1, 0))
                      if self.depth << shift <= 1 << 14), None)
        if shape is None:
            raise ValueError(f"Depth of a memory on an ECP5 must be {1 << 14} or less, not "
                             f"{self.depth}; use several memories")
        bits, shift = shape
        for index in range(ceil_div(self.width, bits)):
            ports = {}
            for name in ("a", "b"):
                port = getattr(self, name)
                part = slice(index * bits, min((index + 1) * bits, self.width))
                # Words of 18 bits have a write enable for each half among the address bits.
                address = Cat(C(0b11 if bits == 18 else 0, shift), port.address)
                out = Signal(part.stop - part.start, name=f"{name}_{index}_out")
                m.d.comb += port.q[part].eq(out)
                ports |= _dp16kd_port(name.upper(), port, address, port.data[part], out)
            m.submodules[f"block_{index}"] = Instance(
                "DP16KD", p_DATA_WIDTH_A=bits, p_DATA_WIDTH_B=bits, p_GSR="DISABLED",
                p_REGMODE_A="OUTREG", p_REGMODE_B="OUTREG", p_WRITEMODE_A="NORMAL",
                p_WRITEMODE_B="NORMAL", p_RESETMODE="SYNC", p_CSDECODE_A="0b000",
                p_CSDECODE_B="0b000", **ports)


def _dp16kd_port(side, port, address, data, out):
    """Return the connections of one side; all inputs are, since an open one may become anything."""
    inputs = {f"CLK{side}": ClockSignal(), f"CE{side}": port.enable, f"OCE{side}": port.enable,
              f"WE{side}": port.write, f"RST{side}": 0,
              **{f"CS{side}{bit}": 0 for bit in range(3)}}
    for bus, value, count in ((f"AD{side}", address, 14), (f"DI{side}", data, 18)):
        inputs |= {f"{bus}{bit}": value[bit] if bit < len(value) else 0 for bit in range(count)}
    return ({f"i_{name}": value for name, value in inputs.items()}
            | {f"o_DO{side}{bit}": out[bit] for bit in range(len(out))})
