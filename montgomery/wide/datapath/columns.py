"""What both datapaths have: products of digits, cut in halves, and sums of these by place."""

from amaranth.hdl import C, Cat, ClockSignal, Module, Shape, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...blocks.device_block import DeviceBlock, owned
from ...blocks.values import add_carry, later
from ...technology import technology_of
from .model import DIGIT_BITS, RESULT_BITS
from .ranges import BASE

__all__ = ["ColumnCore", "HeldProduct"]


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


class ColumnCore(wiring.Component):
    """A core that multiplies some digits of x by all of y in each clock.

    Latency: that of a subclass. Throughput: the digits of y over those of x in a clock, for each
    product.

    Parameters
    ----------
    prime : :class:`~.primes.FixedPrime`
    pace : :class:`~.model.Pace`
    bounds : :class:`dict`
        A :class:`~.ranges.Range` by name of register.
    more : :class:`dict` from :class:`str` to members
        Further ports.

    Members
    -------
    start : :py:`In(1)`
        Operands are there, in this clock. In all clocks until the next product there is none.
    loads : :py:`In(1).array(digits)`
        The same for each digit of x, so that it may come from a register nearby.
    x, y : :py:`In(signed(DIGIT_BITS)).array(digits)`
    valid : :py:`Out(1)`
        The result is there, in this clock.
    result : :py:`Out(signed(RESULT_BITS)).array(digits)`
    """

    def __init__(self, prime, pace, bounds, more=()):
        self.prime, self.pace, self.bounds, digits = prime, pace, bounds, prime.digits
        super().__init__({
            "start": In(1), **dict(more), "loads": In(1).array(digits),
            "x": In(signed(DIGIT_BITS)).array(digits), "y": In(signed(DIGIT_BITS)).array(digits),
            "valid": Out(1), "result": Out(signed(RESULT_BITS)).array(digits)})

    def _register(self, *name, shape=None):
        """Return a register of data that is as wide as its bounds."""
        return Signal(shape or signed(self.bounds[name].width), name="_".join(map(str, name)),
                      reset_less=True)

    def _products(self, order, step):
        """Return products by digit of x in a clock, and by digit of y.

        Parameters
        ----------
        order : list of pairs of :class:`int`
            These digits, in the order in which their blocks get sites. Four neighbours share an
            enable.
        step : :class:`int`
            Digits of x in a clock; negative if the highest ones go first.
        """
        m, digits = self.m, self.prime.digits
        queue = [Signal(signed(DIGIT_BITS), name=f"queue_{i}", reset_less=True)
                 for i in range(digits)]
        m.d.sync += [queue[i].eq(queue[i + step]) for i in range(digits) if 0 <= i + step < digits]
        for digit, x, loads in zip(queue, self.x, self.loads, strict=True):
            with m.If(loads):
                m.d.sync += digit.eq(x)
        y = [later(m, self.y[j], 1, f"y_{j}") for j in range(digits)]
        load = [owned(self.m, self.start, f"load_{group}") for group in range(len(order) // 4)]
        found = [[None] * digits for _ in range(abs(step))]
        first = queue[:step] if step > 0 else queue[step:]
        for index, (a, j) in enumerate(order):
            m.submodules[f"block_{a}_{j}"] = block = HeldProduct()
            m.d.comb += [block.x.eq(first[a]), block.y.eq(y[j]), block.load.eq(load[index // 4])]
            found[a][j] = block.p
        return found

    def _tree(self, place, halves, product, levels, more=()):
        """Return the sum of halves of products, and ``more``, by a tree of registers."""
        level = [product[a][j][BASE:].as_signed() if half else
                 Cat(product[a][j][:BASE], C(0, 1)).as_signed() for a, j, half in halves]
        level += more
        for depth in range(1, levels + 1):
            following = []
            for index in range(0, len(level), 2):
                pair, name = level[index:index + 2], ("tree", depth, place, index // 2)
                shape = None if name in self.bounds else Shape.cast(pair[0].shape())
                node = self._register(*name, shape=shape)
                self.m.d.sync += node.eq(sum(pair[1:], pair[0]))
                following.append(node)
            level = following
        return level[0]

    def _carry(self, digits, columns, lowest):
        """Give digits, the lower parts of columns, each with the upper part of the column below."""
        for k, (digit, below) in enumerate(zip(digits, [None, *columns], strict=False)):
            out = Signal(signed(RESULT_BITS), name=f"out_{k}", reset_less=True)
            self.m.d.sync += out.eq(
                add_carry(digit, below[BASE:].as_signed(), below[BASE - 1]) if k else lowest)
            self.m.d.comb += self.result[k].eq(out)
