"""Unsigned multiplication and addition in the multiplier block of a device, with its registers."""

from amaranth.hdl import C, ClockSignal, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..technology import technology_of
from .values import DeviceBlock, later, padded, signals

__all__ = ["MultiplyAdd", "mult18x18d"]


class MultiplyAdd(wiring.Component):
    """``p = a * b + c + d`` for unsigned numbers, with registers where they cost nothing.

    On every :class:`~montgomery.technology.Technology` it does the same in the same clock. Where
    synthesis does not find the registers of a block by itself the block is an instance: it is used
    even when there are too few, which placement then reports. Operands that are too long for a
    block are cut, and the partial products added before the last register.

    An addend joins in front of the last register. On an iCE40 UltraPlus a single one is added in
    the block; elsewhere, and all others, in logic.

    Nothing resets the registers; all are 0 at first.

    Latency: :attr:`latency` clocks from ``a`` and ``b``, one for each register; and
    :attr:`addend_latency`, 0 or 1, from ``c`` and ``d``. Throughput: a result per clock.

    Addends of no bits are left out. ``input_register`` is a register for ``a`` and ``b``, and
    ``output_register`` one for the sum, or without addends for the product; ``product_registers``
    are between multiplication and addition, two in most blocks.
    """

    def __init__(self, *, a_width, b_width, c_width=0, d_width=0, input_register=True,
                 product_registers=1, output_register=True):
        self.a_width, self.b_width = a_width, b_width
        self.c_width, self.d_width = c_width, d_width
        self.input_register = input_register
        self.product_registers = product_registers
        self.output_register = output_register
        self.latency = input_register + product_registers + output_register
        self.addend_latency = int(output_register)
        self.width = self.width_of(a_width, b_width, c_width, d_width)
        ports = {"a": a_width, "b": b_width, "c": c_width, "d": d_width}
        super().__init__({name: In(width) for name, width in ports.items() if width}
                         | {"p": Out(self.width)})

    @staticmethod
    def width_of(a_width, b_width, c_width=0, d_width=0):
        """Return :attr:`width` for those of the operands."""
        largest = ((1 << a_width) - 1) * ((1 << b_width) - 1)
        return (largest + ((1 << c_width) - 1) + ((1 << d_width) - 1)).bit_length()

    def elaborate(self, platform):
        m = Module()
        technology = technology_of(platform)
        addends = [getattr(self, name) for name in ("c", "d") if name in self.signature.members]
        after = self.product_registers + (0 if addends else self.output_register)
        if (technology.name == "ice40-ultra" and len(addends) == 1 and self.width <= 32
                and self.product_registers <= 2
                and _fits(technology.multiplier, self.a, self.b)):
            total = _sb_mac16(m, self.a, self.b, self.input_register, self.product_registers,
                              addends[0], self.output_register)
        else:
            total = _product(m, technology, self.a, self.b, self.input_register, after)
            if addends:
                total = later(m, sum(addends, total), self.output_register, "sum")
        m.d.comb += self.p.eq(total)
        return m


def _fits(block, a, b):
    return len(a) <= block.a_width and len(b) <= block.b_width


def _product(m, technology, a, b, before, after):
    """Return ``a * b`` with a register before the multiplication if wanted, and some after it."""
    block = technology.multiplier
    if block is None or technology.inferred:
        a, b = later(m, a, before, "a_late"), later(m, b, before, "b_late")
        return later(m, a * b, after, "product")
    instance = _INSTANCES[technology.name]
    if _fits(block, a, b):
        inside = min(after, 2)
        product = instance(m, a, b, before, inside)
        return later(m, product, after - inside, "product")
    summed = min(after, 1)
    total = 0
    for low_a in range(0, len(a), block.a_width):
        for low_b in range(0, len(b), block.b_width):
            partial = _product(m, technology, a[low_a:low_a + block.a_width],
                               b[low_b:low_b + block.b_width], before, after - summed)
            total += partial << (low_a + low_b)
    return later(m, total[:len(a) + len(b)], summed, "partial_sum")


# In each of these, ``after`` counts registers after the multiplication, 0 to 2. All inputs that
# matter are connected: to yosys's optimisations one that is open may be anything.

def _mult18x18d(m, a, b, before, after):
    """ECP5. yosys packs no register into the block.

    The shift chain from the neighbour, which is not selected, is open: nothing else reaches it.
    """
    p = Signal(36)
    m.submodules += mult18x18d(a, b, p, before, after)
    return p[:len(a) + len(b)]


def mult18x18d(a, b, p, before, after, *, signed=0, load=None):
    """Return a multiplier block of an ECP5, which keeps b where there is a ``load`` that is 0."""
    ports = {"SIGNEDA": signed, "SIGNEDB": signed, "SOURCEA": 0, "SOURCEB": 0,
             "CLK0": ClockSignal(), "CE0": 1} | ({} if load is None else {"CE1": load}) | {
             "RST0": 0}
    for bus, value in (("A", a), ("B", b), ("C", C(0, 18))):
        ports |= {f"{bus}{bit}": value[bit] if bit < len(value) else 0 for bit in range(18)}
    # A single register after the multiplication is the last one, which is near the pins.
    used = {"INPUTA": before, "INPUTB": before, "PIPELINE": after == 2, "OUTPUT": after >= 1}
    return DeviceBlock(
        "MULT18X18D", p_GSR="DISABLED", **({} if load is None else {"p_REG_INPUTB_CE": "CE1"}),
        **{f"p_REG_{name}_CLK": "CLK0" if register else "NONE" for name, register in used.items()},
        **{f"i_{name}": value for name, value in ports.items()},
        **{f"o_P{bit}": p[bit] for bit in range(36)})


def _sb_mac16(m, a, b, before, after, addend=None, output_register=False):
    """iCE40 Ultra and UltraPlus, whose block also has an adder with a register behind it.

    A single register is the one within the multiplication: FPGA-DS-02008, Table 4.17.
    """
    o, c = signals("o c", 32)
    if addend is not None:
        m.d.comb += c.eq(addend)
    before, first, second = C(before, 1), C(after >= 1, 1), C(after == 2, 1)
    # 0 and 1: the sum, without and with its register; 3: the product.
    select = C(3 if addend is None else int(output_register), 2)
    m.submodules += DeviceBlock(
        "SB_MAC16", p_A_REG=before, p_B_REG=before, p_C_REG=C(0, 1), p_D_REG=C(0, 1),
        p_TOP_8x8_MULT_REG=first, p_BOT_8x8_MULT_REG=first, p_PIPELINE_16x16_MULT_REG1=first,
        p_PIPELINE_16x16_MULT_REG2=second, p_MODE_8x8=C(0, 1), p_NEG_TRIGGER=C(0, 1),
        p_A_SIGNED=C(0, 1), p_B_SIGNED=C(0, 1),
        p_TOPOUTPUT_SELECT=select, p_BOTOUTPUT_SELECT=select,
        # Product and {C, D}, with the carry of the lower half.
        p_TOPADDSUB_LOWERINPUT=C(2, 2), p_BOTADDSUB_LOWERINPUT=C(2, 2),
        p_TOPADDSUB_UPPERINPUT=C(1, 1), p_BOTADDSUB_UPPERINPUT=C(1, 1),
        p_TOPADDSUB_CARRYSELECT=C(3, 2), p_BOTADDSUB_CARRYSELECT=C(0, 2),
        i_CLK=ClockSignal(), i_CE=C(1, 1), i_A=padded(a, 16), i_B=padded(b, 16), i_C=c[16:],
        i_D=c[:16],
        **{f"i_{name}": C(0, 1) for name in (
            "AHOLD", "BHOLD", "CHOLD", "DHOLD", "IRSTTOP", "IRSTBOT", "ORSTTOP", "ORSTBOT",
            "OLOADTOP", "OLOADBOT", "ADDSUBTOP", "ADDSUBBOT", "OHOLDTOP", "OHOLDBOT", "CI",
            "ACCUMCI", "SIGNEXTIN")},
        o_O=o)
    return o if addend is not None else o[:len(a) + len(b)]


def _nexus(m, a, b, before, after):
    """Nexus. There is no register between multiplication and output register."""
    z = Signal(36)
    before = "REGISTER" if before else "BYPASS"
    m.submodules += DeviceBlock(
        "MULT18X18", p_REGINPUTA=before, p_REGINPUTB=before, p_GSR="DISABLED",
        p_REGOUTPUT="REGISTER" if after else "BYPASS",
        i_A=padded(a, 18), i_B=padded(b, 18), i_CLK=ClockSignal(), i_SIGNEDA=C(0, 1),
        i_SIGNEDB=C(0, 1), i_CEA=C(1, 1), i_CEB=C(1, 1), i_CEOUT=C(1, 1), i_RSTA=C(0, 1),
        i_RSTB=C(0, 1), i_RSTOUT=C(0, 1), o_Z=z)
    return later(m, z[:len(a) + len(b)], max(after - 1, 0), "product")


def _gowin(m, a, b, before, after):
    """Gowin."""
    dout = Signal(36)
    before = C(before, 1)
    m.submodules += DeviceBlock(
        "MULT18X18", p_AREG=before, p_BREG=before, p_ASIGN_REG=C(0, 1), p_BSIGN_REG=C(0, 1),
        p_PIPE_REG=C(after == 2, 1), p_OUT_REG=C(after >= 1, 1), p_SOA_REG=C(0, 1),
        p_MULT_RESET_MODE="SYNC",
        i_A=padded(a, 18), i_B=padded(b, 18), i_SIA=C(0, 18), i_SIB=C(0, 18), i_ASIGN=C(0, 1),
        i_BSIGN=C(0, 1), i_ASEL=C(0, 1), i_BSEL=C(0, 1), i_CE=C(1, 1), i_CLK=ClockSignal(),
        i_RESET=C(0, 1), o_DOUT=dout)
    return dout[:len(a) + len(b)]


_INSTANCES = {"ecp5": _mult18x18d, "ice40-ultra": _sb_mac16, "nexus": _nexus, "gowin": _gowin}
