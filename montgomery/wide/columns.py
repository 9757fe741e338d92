"""What both datapaths have: products of digits, cut in halves, and sums of these by place."""

from amaranth.hdl import C, Cat, Shape, Signal, signed
from amaranth.lib import wiring

from ..blocks.delay import later
from .cells import HeldProduct, OwnRegister
from .model import DIGIT_BITS
from .ranges import BASE

__all__ = ["ColumnCore"]


class ColumnCore(wiring.Component):
    """A core that multiplies some digits of x by all of y in each clock.

    A subclass has a ``prime``, a module ``m`` in which it is elaborated, ``bounds`` of its
    registers by name, and the members ``start``, ``loads``, ``x`` and ``y`` of
    :class:`~.core.WideCore`. It has the latency too; the throughput is the digits of y over those
    of x in a clock, for each product.
    """

    def _register(self, *name, shape=None):
        """Return a register of data that is as wide as its bounds."""
        return Signal(shape or signed(self.bounds[name].width), name="_".join(map(str, name)),
                      reset_less=True)

    def _own(self, value, name):
        """Return a value a clock later, in a register of its own."""
        self.m.submodules[name] = register = OwnRegister()
        self.m.d.comb += register.d.eq(value)
        return register.q

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
        load = [self._own(self.start, f"load_{group}") for group in range(len(order) // 4)]
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
