"""The datapath for a prime that is almost a power of two."""

from amaranth.hdl import Cat, Module
from amaranth.lib.wiring import In

from ...blocks.carry_chain import GatedSum
from ...blocks.device_block import owned
from ...blocks.values import delays, later
from . import folding_model as model
from .columns import ColumnCore
from .folding_model import HALF, FoldingPace
from .model import leaves
from .primes import DIGITS
from .ranges import BASE

__all__ = ["FoldingCore"]


class FoldingCore(ColumnCore):
    """``result = x * y`` modulo a prime, in 16 signed digits of weight 2**16.

    Digits of operands may be any that fit; those of a result are so small that a sum or difference
    of three results is an operand. No carry goes further than to the next digit.

    Two or four digits of x are multiplied by all of y in each clock, the highest ones first.
    Products are cut into a lower and an upper half, so that columns are short. The columns move up
    while as many of them are completed in each clock. Times what 2**256 is modulo the prime, those
    are added to the columns 16 places below, which they follow in columns of their own. A register
    is between any two additions of two numbers.

    A product by a number of so few digits takes one clock: it is there in the highest digits of x,
    and counts as if it were in the lowest ones.

    Latency: ``pace.latency`` clocks from ``start`` to ``valid``, or ``pace.short``. Throughput: a
    product in ``pace.interval`` clocks, or a short one in one. Nothing stops the core, and nothing
    but control is reset.

    Parameters
    ----------
    prime : :class:`~.primes.FoldedPrime`
    per_clock : :class:`int`
        Digits of x that are multiplied in a clock: 2 or 4.

    Attributes
    ----------
    pace : :class:`~.folding_model.FoldingPace`

    Members
    -------
    start, loads, x, y, valid, result : as those of a :class:`~.columns.ColumnCore`
    short : :py:`In(1)`
        With ``start``: the product is a short one.
    """

    def __init__(self, prime, per_clock):
        self._set(prime, FoldingPace(per_clock), model.bounds(prime, per_clock))

    def _set(self, prime, pace, bounds):
        super().__init__(prime, pace, bounds, {"short": In(1)})

    def elaborate(self, platform):
        m, pace, count = Module(), self.pace, self.pace.per_clock
        self.m = m
        # Each list is a signal 0, 1 … clocks ago, which is all that there is of control.
        full, started, short = (delays(m, value, clocks, name, reset_less=False)
                                for name, value, clocks in (
            ("full", self.start & ~self.short, pace.latency), ("started", self.start, pace.first),
            ("short", self.start & self.short, pace.short)))
        m.d.comb += self.valid.eq(full[pace.latency] | short[pace.short])
        # Blocks get sites in the order in which they are added, half of them below the others: so
        # the highest columns are below the lowest ones. Those whose products are added first, at
        # one place, lie side by side.
        order = sorted(((a, j) for j in range(DIGITS) for a in range(count)), key=sum)
        product = self._products(order, -count)
        acc = [self._register("acc", k) for k in range(DIGITS + count)]
        for k, halves in enumerate(leaves(count)):
            total = self._tree(k, halves, product, pace.levels)
            if below := self._below(k, acc, full, started):
                column, comes = below
                m.submodules[f"column_{k}"] = each = GatedSum(len(total), len(column))
                m.d.comb += [each.a.eq(total), each.b.eq(column),
                             each.gate.eq(owned(self.m, comes, f"keep_{k}"))]
                total = each.total
            m.d.sync += acc[k].eq(total)
        late = [later(m, column, 1, f"late_{k}").as_signed() for k, column in enumerate(acc)]
        part, fold = self._fold(acc, late, full, short)
        self._result(acc, late, part, fold, short)
        return m

    def _below(self, k, acc, full, started):
        """Return the column that comes from below to a place, if there is one, and whether it does
        in the next clock.
        """
        if k >= self.pace.per_clock:
            return acc[k - self.pace.per_clock], ~started[self.pace.first - 2]
        return None

    def _fold(self, acc, late, full, short):
        """Return what the highest columns are folded to: parts of it, and all by place."""
        m, count = self.m, self.pace.per_clock
        first, second, third = self.prime.shifts
        part, fold = ([self._register(name, r) for r in range(count)]
                      for name in ("part", "fold"))
        for r, (column, before) in enumerate(zip(acc[DIGITS:], late[DIGITS:], strict=True)):
            m.d.sync += [part[r].eq((column << first) + (column << second)),
                         fold[r].eq((before << third) + part[r])]
        while len(fold) < DIGITS - count:
            fold.append(later(m, fold[-count], 1, f"fold_{len(fold)}").as_signed())
        return part, fold

    def _result(self, acc, late, part, fold, short):
        """Join the columns, and carry to the next digit, and from the highest to the lowest one."""
        m, third = self.m, self.prime.shifts[-1]
        count, first = self.pace.per_clock, self.pace.first
        h = [self._register("h", k) for k in range(DIGITS - 1)]
        for k, column in enumerate(h):
            if k < count:
                wide = self._register("wide", k)
                m.d.sync += [wide.eq(acc[k] + (acc[DIGITS + k] << third)),
                             column.eq(wide + part[k])]
            else:
                below = fold[k - count]
                m.submodules[f"join_{k}"] = each = GatedSum(len(late[k]), len(below))
                m.d.comb += [each.a.eq(late[k]), each.b.eq(below),
                             each.gate.eq(owned(self.m, ~short[first], f"folded_{k}"))]
                m.d.sync += column.eq(each.total)
        # The highest column was folded first. It is rounded to the next digit from the start.
        early, top, carry = (self._register(name) for name in ("early", "top", "carry"))
        up = top[BASE:].as_signed()
        m.d.sync += [early.eq(fold[DIGITS - 1 - 3 * count] + HALF),
                     top.eq(acc[DIGITS - 1] + early),
                     carry.eq(sum(up << shift for shift in self.prime.shifts))]
        with m.If(owned(self.m, short[first - 2], "early_folded")):
            m.d.sync += early.eq(HALF)
        highest = later(m, Cat(top[:BASE - 1], ~top[BASE - 1]), 1, "highest").as_signed()
        digits = [*(column[:BASE].as_signed() for column in h), highest]
        self._carry(digits, h, digits[0] + carry)
