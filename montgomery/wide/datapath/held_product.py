"""A product of signed digits, in a block that keeps one of them."""

from amaranth.hdl import C, ClockSignal, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...blocks.device_block import DeviceBlock
from ...technology import technology_of
from .ranges import DIGIT_BITS

__all__ = ["HeldProduct"]


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
