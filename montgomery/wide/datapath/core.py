"""The datapath: digits in, digits out, a product every few clocks."""

from amaranth.hdl import Cat, Module

from ...blocks.carry_chain import GatedSum
from ...blocks.device_block import owned
from ...blocks.values import add_carry, later
from . import model
from .columns import ColumnCore
from .ranges import BASE

__all__ = ["WideCore"]


class WideCore(ColumnCore):
    """``result = x * y / 2**(16 * digits)`` modulo a prime, in signed digits of weight 2**16, as
    many as the prime has.

    Digits of operands may be any that fit; those of a result are so small that a sum or difference
    of three results is an operand. No carry goes further than to the next digit.

    Two or four digits of x are multiplied by all of y in each clock. Products are cut into a lower
    and an upper half, so that columns are short. The columns move down while as many of them are
    completed in each clock; each is a quotient digit as it is, and what its multiple of the prime
    adds comes down in columns of its own. A register is between any two additions of two numbers.

    Latency: ``pace.latency`` clocks from ``start`` to ``valid``. Throughput: a product in
    ``pace.interval`` clocks. Nothing stops the core, and nothing but control is reset.

    Parameters
    ----------
    prime : :class:`~.primes.Prime`
    per_clock : :class:`int`
        Digits of x that are multiplied in a clock: 2 or 4.

    Attributes
    ----------
    pace : :class:`~.model.Pace`

    Members
    -------
    start, loads, x, y, valid, result : as those of a :class:`~.columns.ColumnCore`
    """

    def __init__(self, prime, per_clock):
        self.per_clock, self.digits = per_clock, prime.digits
        super().__init__(prime, model.Pace(prime, per_clock), model.bounds(prime, per_clock))

    def elaborate(self, platform):
        m = self.m = Module()
        # started[n] is ``start`` n clocks ago, which is all that there is of control.
        self.started = [self.start]
        for clock in range(1, self.pace.latency + 1):
            self.started.append(later(m, self.started[-1], 1, "started", number=clock,
                                      reset_less=False))
        m.d.comb += self.valid.eq(self.started[self.pace.latency])
        product = self._products(_order(self.digits, self.per_clock), self.per_clock)
        places = model.leaves(self.per_clock, self.digits)
        total = [self._tree(place, halves, product, self.pace.levels)
                 for place, halves in enumerate(places)]
        acc = [self._register("acc", k) for k in range(self.digits + self.per_clock)]
        for k, column in enumerate(acc):
            above = self._unless(total[k], acc[k + self.per_clock], (self.pace.first - 2,),
                                 f"keep_{k}") if k < self.digits else total[k]
            m.d.sync += column.eq(above)
        d, t, pre = self._quotient(acc)
        if self.pace.in_tree:
            last = self._tree("last", [*places[self.per_clock - 1],
                                       (self.per_clock - 1, self.digits - 1, True)],
                              product, self.pace.levels)
        else:
            last = later(m, product[-1][-1][BASE:], self.pace.levels, "last").as_signed()
        self._result(acc, d, self._top(acc, d, t, pre, last))
        return m

    def _unless(self, a, b, clocks, name, negate=False):
        """Return ``b + a``, or ``b - a`` if ``negate``.

        b counts as 0 in the clocks ``c + 1`` after ``start``, for each c of ``clocks``.
        """
        taken = owned(self.m, ~Cat(self.started[clock] for clock in clocks).any(), f"{name}_gate")
        self.m.submodules[name] = total = GatedSum(len(a), len(b), negate=negate)
        self.m.d.comb += [total.a.eq(a), total.b.eq(b), total.gate.eq(taken)]
        return total.total

    def _quotient(self, acc):
        """Return the columns of what multiples of the prime add, quotient digits, and those
        without the last addend if that is added a clock later.
        """
        m, count, first, ahead = self.m, self.per_clock, self.pace.first, self.pace.ahead
        t, pre = ([self._register(name, r) for r in range(count)] for name in ("t", "pre"))
        d = [self._register("d", place) for place in range(self.digits)]
        if ahead == 1:
            pre = t
        for r, digit in enumerate(pre):
            m.d.sync += digit.eq(self._unless(acc[r], d[ahead * count + r],
                                              range(first - 1, first + ahead), f"quotient_{r}"))
        if ahead > 1:
            for r, digit in enumerate(t):
                back, source = divmod(r - self.prime.lowest, count)
                earlier = later(m, t[source], -back - 1, f"quotient_{source}").as_signed()
                m.d.sync += digit.eq(self._unless(pre[r], earlier, range(first, first - back),
                                                  f"digit_{r}"))
        beside = {place: self._register("beside", place) for place in model.waiting(self.prime,
                                                                                    count)}
        for place, column in beside.items():
            self._moved(column, d[place + count], f"beside_{place}")
        for place, digits in enumerate(model.addends(self.prime, count)):
            above = d[place + count:place + count + 1] if place not in beside else []
            if not digits:
                others = [beside[place + count]] if place + count in beside else []
                self._moved(d[place], sum(others, above[0]), place)
            elif above:
                (r, sign), = digits
                m.d.sync += d[place].eq(self._unless(
                    t[r], above[0], (first + ahead - 1,), f"chain_{place}", negate=sign < 0))
            else:
                (r, _), *others = digits
                m.d.sync += d[place].eq(t[r] - t[others[0][0]] if others else t[r])
        return d, t, pre

    def _moved(self, column, above, name):
        """Replace a column by ``above``, or by 0 in the clock in which a product begins: what is
        above is then of the product before.
        """
        self.m.d.sync += column.eq(above)
        begins = self.started[self.pace.first + self.pace.ahead - 1]
        with self.m.If(owned(self.m, begins, f"clear_{name}")):
            self.m.d.sync += column.eq(0)

    def _top(self, acc, d, t, pre, last):
        """Return the highest column, a clock ahead of the others: the last quotient digit and the
        high half of the last product, to which the lowest columns were added if it is in a tree.
        """
        m, count = self.m, self.per_clock
        early, top = self._register("early"), self._register("top")
        if self.pace.ahead == 1:
            m.d.sync += [early.eq(d[3 * count - 1] + last), top.eq(acc[count - 1] + early)]
            return top
        middle, lowest = self._register("middle"), self.prime.lowest
        if self.pace.in_tree:
            m.d.sync += [early.eq(acc[2 * count - 1] + last), middle.eq(d[3 * count - 1] + early),
                         top.eq(t[-1] + middle)]
        else:
            m.d.sync += [early.eq(t[(-1 - 2 * lowest) % count] + last),
                         middle.eq(pre[(-1 - lowest) % count] + early), top.eq(pre[-1] + middle)]
        return top

    def _result(self, acc, d, top):
        """Join both columns, fold what leaves the highest one, and carry to the next digit."""
        m, count, sign_of = self.m, self.per_clock, dict(self.prime.carry)
        waiting = model.waiting(self.prime, count)
        up, half = top[BASE:].as_signed(), top[BASE - 1]
        h = [self._register("h", k) for k in range(self.digits)]
        for k in range(self.digits - 1):
            column = later(m, acc[count + k], self.pace.ahead, f"upper_{k}").as_signed()
            late = self._register("late", k)
            if k in sign_of:
                column = add_carry(column, up, half, sign_of[k])
            elif k in waiting:
                column = column + d[k + count]
            m.d.sync += [late.eq(column), h[k].eq(late + d[k])]
        m.d.sync += h[-1].eq(later(m, top[:BASE], 1, "top_low").as_signed())
        digits = [column[:BASE].as_signed() for column in h]
        self._carry(digits, h, digits[0])


def _order(digits, count):
    """Return blocks as pairs of digits, in the order in which they get sites: along a row and back
    along the one below. Those whose products are added first, at one place, lie side by side.
    """
    if count == 2:
        # Quotient digits come from the middle of the upper row, since they go to places on both
        # sides and below.
        return sorted(((a, j) for j in range(digits) for a in range(count)),
                      key=lambda each: (sum(each) + digits // 4) % digits)
    # Each row has the products of two digits of x, from the lowest and the highest place to those
    # in the middle.
    rows = [[(a, j) for low in range(digits // 2) for j in (low, digits - 1 - low)
             for a in (first, first + 1)] for first in range(0, count, 2)]
    return [*rows[0], *reversed(rows[1])]
