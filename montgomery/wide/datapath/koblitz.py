"""Folding of columns for the prime of secp256k1."""

from .from_above import FromAbove
from .primes import DIGITS, KOBLITZ

__all__ = ["Koblitz"]

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
