"""A product of signed digits, in a block that keeps one of them."""

from amaranth.hdl import Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...blocks.multiply_add import mult18x18d
from ...technology import technology_of
from .ranges import DIGIT_BITS

__all__ = ["HeldProduct"]


class HeldProduct(wiring.Component):
    """``p = x * y`` of signed digits, in a block with all its registers, which keeps y.

    Latency: three clocks. Throughput: a product per clock.
    """

    def __init__(self):
        super().__init__({
            "x": In(signed(DIGIT_BITS)), "y": In(signed(DIGIT_BITS)),
            "load": In(1),  # take y; else the one before stays
            "p": Out(signed(2 * DIGIT_BITS)),
        })

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            m.submodules.block = mult18x18d(self.x, self.y, self.p, 1, 2, signed=1, load=self.load)
            return m
        x, y = (Signal(signed(DIGIT_BITS), name=f"{name}_kept", reset_less=True) for name in "xy")
        product = Signal(signed(2 * DIGIT_BITS), reset_less=True)
        late = Signal(signed(2 * DIGIT_BITS), reset_less=True)
        m.d.sync += [x.eq(self.x), product.eq(x * y), late.eq(product)]
        with m.If(self.load):
            m.d.sync += y.eq(self.y)
        m.d.comb += self.p.eq(late)
        return m
