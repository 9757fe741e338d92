"""Folding of columns, for a prime that is almost a power of two."""

from .dataflow import Dataflow
from .primes import DIGITS
from .ranges import HALF

__all__ = ["FromAbove"]


class FromAbove(Dataflow):
    """``result = x * y`` modulo a :class:`~.primes.FoldedPrime`.

    The highest digits of x are multiplied first. The columns move up while as many of them are
    completed in each clock. Times what 2**256 is modulo the prime, those are added to the columns
    16 places below, which they follow in columns of their own.

    A product by a number of so few digits takes one clock: it is there in the highest digits of x,
    and counts as if it were in the lowest ones.
    """

    #: Clocks from the last sums of columns to the result.
    tail = 3

    @property
    def short(self):
        return self.first + self.tail

    @property
    def latency(self):
        return self.short + self.interval - 1

    def describe(self, flow):
        count = self.per_clock
        # Each list is a bit 0, 1 … clocks ago, which is all that there is of control.
        full, started, short = (flow.delays(bit, clocks, name) for name, bit, clocks in (
            ("full", flow.start & ~flow.short, self.latency), ("started", flow.start, self.first),
            ("short", flow.start & flow.short, self.short)))
        flow.valid(full[-1] | short[-1])
        # Blocks get sites in the order in which they are added, half of them below the others: so
        # the highest columns are below the lowest ones. Those whose products are added first, at
        # one place, lie side by side.
        product = flow.products(
            sorted(((a, j) for j in range(DIGITS) for a in range(count)), key=sum), -count)
        acc = [flow.register("acc", k) for k in range(DIGITS + count)]
        again, beside, below = self._again(flow, full)
        below |= {k: (acc[k - count], ~started[self.first - 2]) for k in range(count, len(acc))}
        for k, halves in enumerate(self.places):
            total = self._tree(flow, k, halves, product, beside.get(k, ()))
            if k in below:
                total = flow.gated(f"column_{k}", total, *below[k], own=f"keep_{k}")
            flow.set(acc[k], total)
        late = [flow.later(column, 1, f"late_{k}") for k, column in enumerate(acc)]
        parts, fold = self._fold(flow, acc, late, again, full, short)
        while len(fold) < DIGITS - count:
            fold.append(flow.later(fold[-count], 1, f"fold_{len(fold)}"))
        self._result(flow, acc, late, parts, fold, short)

    def _again(self, flow, full):
        """Return registers of columns that are added once more. By place, those that are added to
        the products; and others with the bit that is 1 a clock before that.
        """
        return [], {}, {}

    def _fold(self, flow, acc, late, again, full, short):
        """Return parts of what the highest columns are folded to, and all of it, by place."""
        first, second, third = self.prime.shifts
        parts, fold = [], []
        for r, (column, before) in enumerate(zip(acc[DIGITS:], late[DIGITS:], strict=True)):
            parts.append(flow.register("part", r, value=(column << first) + (column << second)))
            fold.append(flow.register("fold", r, value=(before << third) + parts[r]))
            # It is as wide as after the last step, from which nothing follows.
            flow.hold(fold[r], 1)
        return parts, fold

    def _result(self, flow, acc, late, parts, fold, short):
        """Join the columns, and carry to the next digit, and from the highest to the lowest one."""
        count, h = self.per_clock, []
        for k in range(DIGITS - 1):
            if k < count:
                wide = flow.register("wide", k,
                                     value=acc[k] + (acc[DIGITS + k] << self.prime.shifts[-1]))
                total = wide + parts[k]
            else:
                total = flow.gated(f"join_{k}", late[k], fold[k - count], ~short[self.first],
                                   own=f"folded_{k}")
            h.append(flow.register("h", k, value=total))
        # The highest column was folded first. It is rounded to the next digit from the start.
        early = flow.register("early", value=fold[DIGITS - 1 - 3 * count] + HALF)
        top = flow.register("top", value=acc[DIGITS - 1] + early)
        up = flow.high(top)
        carry = flow.register("carry", value=sum(up << shift for shift in self.prime.shifts))
        flow.replace(early, HALF, flow.owned(short[self.first - 2], "early_folded"))
        digits = [*map(flow.centred_low, h), flow.later(flow.low_less_half(top), 1, "highest")]
        self._carry(flow, digits, h, digits[0] + carry)
