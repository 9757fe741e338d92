"""Montgomery's reduction of columns, for a prime that is -1 modulo a power of the digits."""

from .dataflow import Dataflow
from .ranges import BASE

__all__ = ["FromBelow"]


class FromBelow(Dataflow):
    """``result = x * y / 2**(16 * digits)`` modulo a :class:`~.primes.Prime`.

    The columns move down while as many of them are completed in each clock as digits of x are
    multiplied; each is a quotient digit as it is, and what its multiple of the prime adds comes
    down in columns of its own.
    """

    short = 0

    def __init__(self, prime, per_clock):
        super().__init__(prime, per_clock)
        self.r = 1 << BASE * prime.digits
        # Clocks from a sum of columns to its quotient digits. Where a quotient digit is needed in
        # the next clock, all but its addition is done a clock ahead.
        self.ahead = 1 if prime.lowest >= 3 * per_clock else 2
        # The high half of the last product is added to the highest column from the products on,
        # because there is no time for it between the last quotient digits.
        self.in_tree = 2 * prime.lowest < 3 * per_clock
        self.latency = self.first + self.interval - 1 + self.ahead + 3
        # What multiples of the prime add by place: pairs of a quotient digit and a sign, of which
        # only a second one may be negative if there are two.
        places = [[] for _ in range(prime.digits)]
        for place, sign in prime.ones:
            for r in range(per_clock):
                places[r + place - per_clock].append((r, sign))
        self.addends = [sorted(digits, key=lambda each: -each[1]) for digits in places]
        # The places where two quotient digits are added, so that what comes down waits for the next
        # step.
        self.waiting = [place for place, digits in enumerate(self.addends[:-per_clock])
                        if len(digits) > 1]

    def describe(self, flow):
        count, digits = self.per_clock, self.prime.digits
        # started[n] is ``start`` n clocks ago, which is all that there is of control.
        started = flow.delays(flow.start, self.latency, "started", number=1)
        flow.valid(started[-1])
        product = flow.products(self._order(), count)
        total = [self._tree(flow, place, halves, product)
                 for place, halves in enumerate(self.places)]
        acc = [flow.register("acc", k) for k in range(digits + count)]
        for k, column in enumerate(acc):
            flow.set(column, _unless(flow, started, total[k], acc[k + count], (self.first - 2,),
                                     f"keep_{k}") if k < digits else total[k])
        d, t, pre = self._quotient(flow, started, acc)
        if self.in_tree:
            last = self._tree(flow, "last", [*self.places[count - 1],
                                             (count - 1, digits - 1, True)], product)
        else:
            last = flow.later(flow.high(product[-1][-1]), self.levels, "last")
        self._result(flow, acc, d, self._top(flow, acc, d, t, pre, last))

    def _order(self):
        """Return blocks as pairs of digits, in the order in which they get sites: along a row and
        back along the one below. Those whose products are added first, at one place, lie side by
        side.
        """
        digits, count = self.prime.digits, self.per_clock
        if count == 2:
            # Quotient digits come from the middle of the upper row, since they go to places on
            # both sides and below.
            return sorted(((a, j) for j in range(digits) for a in range(count)),
                          key=lambda each: (sum(each) + digits // 4) % digits)
        # Each row has the products of two digits of x, from the lowest and the highest place to
        # those in the middle.
        rows = [[(a, j) for low in range(digits // 2) for j in (low, digits - 1 - low)
                 for a in (first, first + 1)] for first in range(0, count, 2)]
        return [*rows[0], *reversed(rows[1])]

    def _quotient(self, flow, started, acc):
        """Return the columns of what multiples of the prime add, quotient digits, and those
        without the last addend if that is added a clock later.
        """
        count, first, ahead = self.per_clock, self.first, self.ahead
        t = [flow.register("t", r) for r in range(count)]
        d = [flow.register("d", place) for place in range(self.prime.digits)]
        pre = t if ahead == 1 else [flow.register("pre", r) for r in range(count)]
        for r, digit in enumerate(pre):
            flow.set(digit, _unless(flow, started, acc[r], d[ahead * count + r],
                                    range(first - 1, first + ahead), f"quotient_{r}"))
        if ahead > 1:
            for r, digit in enumerate(t):
                back, source = divmod(r - self.prime.lowest, count)
                earlier = flow.later(t[source], -back - 1, f"quotient_{source}")
                flow.set(digit, _unless(flow, started, pre[r], earlier,
                                        range(first, first - back), f"digit_{r}"))

        def move(column, above, name):
            """Replace a column by ``above``, or by 0 in the clock in which a product begins: what
            is above is then of the product before.
            """
            flow.set(column, above)
            flow.replace(column, 0, flow.owned(started[first + ahead - 1], f"clear_{name}"))

        beside = {place: flow.register("beside", place) for place in self.waiting}
        for place, column in beside.items():
            move(column, d[place + count], f"beside_{place}")
        for place, digits in enumerate(self.addends):
            above = d[place + count:place + count + 1] if place not in beside else []
            if not digits:
                others = [beside[place + count]] if place + count in beside else []
                move(d[place], sum(others, above[0]), place)
            elif above:
                (r, sign), = digits
                flow.set(d[place], _unless(flow, started, t[r], above[0], (first + ahead - 1,),
                                           f"chain_{place}", negate=sign < 0))
            else:
                (r, _), *others = digits
                flow.set(d[place], t[r] - t[others[0][0]] if others else t[r])
        for column in (d[-1], *beside.values()):
            # They are as wide as after the last step, from which nothing follows.
            flow.hold(column, 2)
        return d, t, pre

    def _top(self, flow, acc, d, t, pre, last):
        """Return the highest column, a clock ahead of the others: the last quotient digit and the
        high half of the last product, to which the lowest columns were added if it is in a tree.
        """
        count, lowest = self.per_clock, self.prime.lowest
        if self.ahead == 1:
            addends = {"early": d[3 * count - 1], "top": acc[count - 1]}
        elif self.in_tree:
            addends = {"early": acc[2 * count - 1], "middle": d[3 * count - 1], "top": t[-1]}
        else:
            addends = {"early": t[(-1 - 2 * lowest) % count],
                       "middle": pre[(-1 - lowest) % count], "top": pre[-1]}
        for name, addend in addends.items():
            last = flow.register(name, value=addend + last)
        return last

    def _result(self, flow, acc, d, top):
        """Join both columns, fold what leaves the highest one, and carry to the next digit."""
        count, sign_of, h = self.per_clock, dict(self.prime.carry), []
        for k in range(self.prime.digits - 1):
            column = flow.later(acc[count + k], self.ahead, f"upper_{k}")
            if k in sign_of:
                column = flow.add_carry(column, top, sign_of[k])
            elif k in self.waiting:
                column = column + d[k + count]
            late = flow.register("late", k, value=column)
            h.append(flow.register("h", k, value=late + d[k]))
        h.append(flow.register("h", len(h), value=flow.later(flow.centred_low(top), 1, "top_low")))
        digits = [flow.centred_low(column) for column in h]
        self._carry(flow, digits, h, digits[0])


def _unless(flow, started, a, b, clocks, name, *, negate=False):
    """Return ``b + a``, or ``b - a`` if ``negate``.

    b counts as 0 in the clocks ``c + 1`` after the start, for each c of ``clocks``.
    """
    counts = flow.owned(~flow.any(*(started[clock] for clock in clocks)), f"{name}_gate")
    return flow.gated(name, a, b, counts, negate=negate)
