"""Folding of columns, for a prime that is almost a power of two, and for that of secp256k1."""

from .dataflow import Dataflow
from .primes import DIGITS, KOBLITZ
from .ranges import HALF

__all__ = ["FromAbove", "Koblitz"]


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

    def __init__(self, prime, per_clock):
        super().__init__(prime, per_clock)
        self.short = self.first + self.tail
        self.latency = self.short + self.interval - 1

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


#: What a column is multiplied by that is folded to the place 16 below, and how many places above
#: that it counts once.
(_, _FACTOR), (_ABOVE, _) = KOBLITZ.carry


class Koblitz(FromAbove):
    """``result = x * y`` modulo 2**256 - 2**32 - 977, so that 2**256 is 977 + 2**32.

    What leaves the highest columns counts 977 times 16 places below, and once two places above
    that. The term 2**32 of the highest two columns of the first step is at 2**256 or above itself:
    c 2**256 2**32. So it is added again in the last step, to the highest columns if these are two,
    or else folded to the lowest ones. Columns are so wide that digits are carried twice.
    """

    tail = 5

    @property
    def _in_place(self):
        """Whether columns come in again at the highest places."""
        return self.per_clock == _ABOVE

    def _again(self, flow, full):
        again = [flow.register("again", r) for r in range(self.per_clock)]
        if self._in_place:
            return again, {DIGITS + r: [column] for r, column in enumerate(again)}, {}
        # In the last clock of a product.
        last = full[self.first + self.interval - 3]
        return again, {}, {r: (column, last) for r, column in enumerate(again)}

    def _fold(self, flow, acc, late, again, full, short):
        count, first = self.per_clock, self.first
        if self._in_place:
            # The last sums of columns, of which these are part, are two clocks after this.
            last = flow.owned(full[first + self.interval - 6], "comes_again")
        counts = flow.owned(~short[first], "scaled_counts")
        scaled, fold = [], []
        for r, column in enumerate(acc[DIGITS:]):
            if self._in_place:
                flow.set(again[r], flow.chosen(last, flow.later(column, 3, f"first_{r}")))
            scaled.append(_scaled(flow, column, r))
            if r < _ABOVE:
                total = flow.gated(f"fold_{r}", late[DIGITS + count - _ABOVE + r], scaled[r],
                                   counts)
            else:
                total = scaled[r] + flow.later(late[DIGITS + r - _ABOVE], 1, f"once_{r}")
            fold.append(flow.register("fold", r, value=total))
        if not self._in_place:
            once = [flow.later(column, 1, f"again_{r}")
                    for r, column in enumerate(late[-_ABOVE:])]
            for wire, value in zip(again, [*scaled[-_ABOVE:], *once], strict=True):
                flow.set(wire, value, clocks=0)
        return scaled, fold

    def _result(self, flow, acc, late, scaled, fold, short):
        count = self.per_clock
        counts = [flow.owned(~short[self.first + clocks - 1], f"fold_counts_{clocks}")
                  for clocks in (0, 2)]
        # The highest two columns were folded first; what is in a row at each place moves up.
        top, below = (flow.register(*name, value=flow.gated(
            f"join_{place}", acc[place], fold[place - 3 * count], counts[0]))
            for name, place in ((("top",), DIGITS - 1), (("h", DIGITS - 2), DIGITS - 2)))
        up = flow.high(top)
        up_scaled = _scaled(flow, up, name="up_")
        highest = flow.register("g", DIGITS - 1, value=flow.low(top) + flow.high(below))
        give = flow.register("give", value=flow.centred_high(highest))
        given = flow.register("given", value=flow.chosen(give, _FACTOR))

        # All others are complete three clocks after the last sums of columns.
        late = late[:DIGITS]
        for k in range(_ABOVE, count):
            late[k] = flow.register("once", k, value=acc[k] + acc[DIGITS + k - _ABOVE])
        beside = flow.register("beside", value=late[_ABOVE] + up)
        h = []
        for k in range(DIGITS - 2):
            before = beside if k == _ABOVE else flow.later(late[k], 1, f"later_{k}")
            if k < count:
                total = before + scaled[k]
            elif k < count + _ABOVE:
                total = before + fold[k - count]
            else:
                total = flow.gated(f"join_{k}", before, fold[k - count], counts[1])
            h.append(flow.register("h", k, value=total))
        h.append(flow.later(below, 2, f"h_{DIGITS - 2}_late"))
        # Digits are carried: twice what is above 16 bits goes to the next one, and from the highest
        # one to the lowest.
        g = []
        for k, column in enumerate(h):
            low = flow.low(column, give) if k == 1 else flow.low(column)  # at place 2
            g.append(flow.register("g", k, value=low + (flow.high(h[k - 1]) if k else up_scaled)))
        g.append(flow.later(highest, 2, f"g_{DIGITS - 1}_late"))
        digits = [flow.centred_low(digit) for digit in g]
        self._carry(flow, digits, g, digits[0] + given)


def _scaled(flow, number, *index, name=""):
    """Return a number times 977 = (1024 + 1) + (16 - 64), two clocks later."""
    more = flow.register(f"{name}more", *index, value=flow.times(number, 1024, 1))
    less = flow.register(f"{name}less", *index, value=flow.times(number, 16, -64))
    return flow.register(f"{name}scaled", *index, value=more + less)
