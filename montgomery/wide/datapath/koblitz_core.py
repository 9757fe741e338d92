"""The datapath for the prime of secp256k1."""

from amaranth.hdl import Cat, Mux

from ...blocks.carry_chain import GatedSum
from ...blocks.device_block import owned
from ...blocks.values import later
from . import koblitz_model as model
from .folding_core import FoldingCore
from .koblitz_model import ABOVE
from .primes import DIGITS, KOBLITZ
from .ranges import BASE

__all__ = ["KoblitzCore"]


class KoblitzCore(FoldingCore):
    """``result = x * y`` modulo 2**256 - 2**32 - 977, in 16 signed digits of weight 2**16.

    It is as :class:`~.folding_core.FoldingCore`. What leaves the highest columns counts 977 times
    16 places below, and once two places above that: the first two columns, at the highest places,
    come in again with the last digits of x. Columns are so wide that digits are carried twice.

    Latency: ``pace.latency`` clocks from ``start`` to ``valid``, or ``pace.short``. Throughput: a
    product in ``pace.interval`` clocks, or a short one in one. Nothing stops the core, and nothing
    but control is reset.

    Parameters
    ----------
    per_clock : :class:`int`
        Digits of x that are multiplied in a clock: 2 or 4.

    Members
    -------
    start, short, loads, x, y, valid, result : as those of :class:`~.folding_core.FoldingCore`
    """

    def __init__(self, per_clock):
        self._set(KOBLITZ, model.pace_of(per_clock), model.bounds(per_clock))

    def elaborate(self, platform):
        self._again = [self._register("again", r) for r in range(self.pace.per_clock)]
        return super().elaborate(platform)

    def _tree(self, place, halves, product, levels, more=()):
        if place >= DIGITS and self.pace.per_clock == ABOVE:
            more = self._again[place - DIGITS:][:1]
        return super()._tree(place, halves, product, levels, more)

    def _below(self, k, acc, full, started):
        if k >= self.pace.per_clock or self.pace.per_clock == ABOVE:
            return super()._below(k, acc, full, started)
        # In the last clock of a product.
        return self._again[k], full[self.pace.first + self.pace.interval - 3]

    def _fold(self, acc, late, full, short):
        m, count, first = self.m, self.pace.per_clock, self.pace.first
        if count == ABOVE:
            # The last sums of columns, of which these are part, are two clocks after this.
            again = owned(self.m, full[first + self.pace.interval - 6], "comes_again")
        gate = owned(self.m, ~short[first], "scaled_counts")
        scaled, fold = [], []
        for r, column in enumerate(acc[DIGITS:]):
            if count == ABOVE:
                m.d.sync += self._again[r].eq(Mux(again, later(m, column, 3, f"first_{r}"), 0))
            scaled.append(self._scaled(column, r))
            fold.append(self._register("fold", r))
            if r < ABOVE:
                once = late[DIGITS + count - ABOVE + r]
                m.submodules[f"fold_{r}"] = each = GatedSum(len(once), len(scaled[r]))
                m.d.comb += [each.a.eq(once), each.b.eq(scaled[r]), each.gate.eq(gate)]
                m.d.sync += fold[r].eq(each.total)
            else:
                once = later(m, late[DIGITS + r - ABOVE], 1, f"once_{r}").as_signed()
                m.d.sync += fold[r].eq(scaled[r] + once)
        if count > ABOVE:
            once = [later(m, column, 1, f"again_{r}").as_signed()
                    for r, column in enumerate(late[-ABOVE:])]
            m.d.comb += [again.eq(each) for again, each in zip(
                self._again, [*scaled[-ABOVE:], *once], strict=True)]
        while len(fold) < DIGITS - count:
            fold.append(later(m, fold[-count], 1, f"fold_{len(fold)}").as_signed())
        return scaled, fold

    def _scaled(self, number, *index, name=""):
        """Return a number times 977 two clocks later."""
        more, less, scaled = (self._register(f"{name}{part}", *index)
                              for part in ("more", "less", "scaled"))
        self.m.d.sync += [more.eq((number << 10) + number),
                          less.eq((number << 4) - (number << 6)), scaled.eq(more + less)]
        return scaled

    def _result(self, acc, late, scaled, fold, short):
        m, count, first = self.m, self.pace.per_clock, self.pace.first
        counts = [owned(self.m, ~short[first + clocks - 1], f"fold_counts_{clocks}")
                  for clocks in (0, 2)]
        # The highest two columns were folded first; what is in a row at each place moves up.
        top, below = (self._register(*name) for name in (("top",), ("h", DIGITS - 2)))
        for column, place in ((top, DIGITS - 1), (below, DIGITS - 2)):
            self._join(column, acc[place], fold[place - 3 * count], counts[0], place)
        up = top[BASE:].as_signed()
        up_scaled = self._scaled(up, name="up_")
        highest = self._register("g", DIGITS - 1)
        m.d.sync += highest.eq(Cat(top[:BASE], 0).as_signed() + below[BASE:].as_signed())
        give, given = self._register("give"), self._register("given")
        m.d.sync += [give.eq(highest[BASE:].as_signed() + highest[BASE - 1]),
                     given.eq(Mux(give[0], model.FACTOR, 0))]

        # All others are complete three clocks after the last sums of columns.
        late = late[:DIGITS]
        for k in range(ABOVE, count):
            late[k] = self._register("once", k)
            m.d.sync += late[k].eq(acc[k] + acc[DIGITS + k - ABOVE])
        beside = self._register("beside")
        m.d.sync += beside.eq(late[ABOVE] + up)
        h = [self._register("h", k) for k in range(DIGITS - 2)]
        for k, column in enumerate(h):
            before = beside if k == ABOVE else later(m, late[k], 1, f"later_{k}").as_signed()
            if k < count:
                m.d.sync += column.eq(before + scaled[k])
            elif k < count + ABOVE:
                m.d.sync += column.eq(before + fold[k - count])
            else:
                self._join(column, before, fold[k - count], counts[1], k)
        h.append(later(m, below, 2, f"h_{DIGITS - 2}_late").as_signed())
        # Digits are carried.
        g = [self._register("g", k) for k in range(DIGITS - 1)]
        for k, digit in enumerate(g):
            carry = h[k - 1][BASE:].as_signed() if k else up_scaled
            low = Cat(h[k][:BASE], give if k == 1 else 0).as_signed()
            m.d.sync += digit.eq(low + carry)
        g.append(later(m, highest, 2, f"g_{DIGITS - 1}_late").as_signed())
        digits = [digit[:BASE].as_signed() for digit in g]
        self._carry(digits, g, digits[0] + given)

    def _join(self, column, before, fold, counts, place):
        """Add to a column what is folded to it, unless the product is a short one."""
        self.m.submodules[f"join_{place}"] = each = GatedSum(len(before), len(fold))
        self.m.d.comb += [each.a.eq(before), each.b.eq(fold), each.gate.eq(counts)]
        self.m.d.sync += column.eq(each.total)
