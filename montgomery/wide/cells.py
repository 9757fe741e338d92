"""What the core is made of on an ECP5, where synthesis does not find it; elsewhere it does."""

from amaranth.hdl import C, Cat, ClockSignal, Instance, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.delay import later
from ..blocks.device_block import DeviceBlock
from ..technology import technology_of
from .model import DIGIT_BITS

__all__ = ["GatedSum", "HeldProduct", "OwnRegister", "add_carry"]


def add_carry(a, b, carry, sign=1):
    """Return ``a + b + carry`` or ``a - b - carry``, of signed numbers, by one carry chain."""
    a, b = Cat(C(int(sign > 0), 1), a).as_signed(), Cat(carry, b).as_signed()
    return (a + b if sign > 0 else a - b)[1:].as_signed()


class OwnRegister(wiring.Component):
    """A register that synthesis does not merge with others of the same value.

    So each of many columns has one nearby. Nothing resets it.

    Latency: one clock. Throughput: a bit per clock.

    Members
    -------
    d : :py:`In(1)`
    q : :py:`Out(1)`
    """

    def __init__(self):
        super().__init__({"d": In(1), "q": Out(1)})

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            m.submodules.register = DeviceBlock(
                "FD1S3AX", p_GSR="DISABLED", i_CK=ClockSignal(), i_D=self.d, o_Q=self.q)
        else:
            m.d.comb += self.q.eq(later(m, self.d, 1, "register"))
        return m


class GatedSum(wiring.Component):
    """``total = (b if gate else 0) + a`` or ``- a``, of signed numbers, with the gate in the chain.

    Latency: none. Throughput: a sum per clock.

    Parameters
    ----------
    a_width, b_width : :class:`int`
    negate : :class:`bool`
        Subtract a.

    Members
    -------
    a, b : :py:`In(signed(a_width))`, :py:`In(signed(b_width))`
    gate : :py:`In(1)`
    total : :py:`Out(signed(max(a_width, b_width) + 1))`
    """

    def __init__(self, a_width, b_width, *, negate=False):
        self.negate = negate
        super().__init__({
            "a": In(signed(a_width)), "b": In(signed(b_width)), "gate": In(1),
            "total": Out(signed(max(a_width, b_width) + 1))})

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            self._ccu2c(m)
            return m
        kept = Signal(self.b.shape())
        m.d.comb += [kept.eq(self.b & self.gate.replicate(len(self.b)).as_signed()),
                     self.total.eq(kept - self.a if self.negate else kept + self.a)]
        return m

    def _ccu2c(self, m):
        """Make a chain of CCU2C, each two bits; see :class:`~..blocks.chosen_sum.ChosenSum`.

        The table is that of A + (B and C), or of (B and C) - A, where D is 1.
        """
        width = len(self.total)
        a, b = (Signal(signed(width + 1), name=f"{name}_extended") for name in "ab")
        bits = Signal(width + 1)
        m.d.comb += [a.eq(self.a), b.eq(self.b), self.total.eq(bits[:width])]
        table = C(0x9555 if self.negate else 0x6AAA, 16)
        carry = C(int(self.negate), 1)
        for low in range(0, width, 2):
            leaves = Signal(name=f"carry_{low}")
            ports = {"o_COUT": leaves, "i_CIN": carry}
            for place in (0, 1):
                ports |= {f"i_A{place}": a[low + place], f"i_B{place}": b[low + place],
                          f"i_C{place}": self.gate, f"i_D{place}": C(1, 1),
                          f"o_S{place}": bits[low + place]}
            m.submodules[f"cell_{low}"] = Instance(
                "CCU2C", p_INIT0=table, p_INIT1=table, p_INJECT1_0="NO", p_INJECT1_1="NO", **ports)
            carry = leaves


class HeldProduct(wiring.Component):
    """``p = x * y`` of signed digits, in a block with all its registers, which keeps y.

    Latency: three clocks. Throughput: a product per clock.

    Members
    -------
    x, y : :py:`In(signed(DIGIT_BITS))`
    load : :py:`In(1)`
        Take y; else the one before stays.
    p : :py:`Out(signed(2 * DIGIT_BITS))`
    """

    def __init__(self):
        super().__init__({"x": In(signed(DIGIT_BITS)), "y": In(signed(DIGIT_BITS)), "load": In(1),
                          "p": Out(signed(2 * DIGIT_BITS))})

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            self._mult18x18d(m)
            return m
        x, y = (Signal(signed(DIGIT_BITS), name=f"{name}_kept", reset_less=True) for name in "xy")
        product = Signal(signed(2 * DIGIT_BITS), reset_less=True)
        late = Signal(signed(2 * DIGIT_BITS), reset_less=True)
        m.d.sync += [x.eq(self.x), product.eq(x * y), late.eq(product)]
        with m.If(self.load):
            m.d.sync += y.eq(self.y)
        m.d.comb += self.p.eq(late)
        return m

    def _mult18x18d(self, m):
        ports = {"SIGNEDA": C(1, 1), "SIGNEDB": C(1, 1), "SOURCEA": C(0, 1), "SOURCEB": C(0, 1),
                 "CLK0": ClockSignal(), "CE0": C(1, 1), "CE1": self.load, "RST0": C(0, 1)}
        for bus, number in (("A", self.x), ("B", self.y), ("C", C(0, DIGIT_BITS))):
            ports |= {f"{bus}{bit}": number[bit] for bit in range(DIGIT_BITS)}
        m.submodules.block = DeviceBlock(
            "MULT18X18D", p_GSR="DISABLED", p_REG_INPUTB_CE="CE1",
            **{f"p_REG_{name}_CLK": "CLK0"
               for name in ("INPUTA", "INPUTB", "PIPELINE", "OUTPUT")},
            **{f"i_{port}": number for port, number in ports.items()},
            **{f"o_P{bit}": self.p[bit] for bit in range(2 * DIGIT_BITS)})
