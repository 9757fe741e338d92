"""What a Rower does in each clock of a multiplication, and of conversions.

A Rower has one multiplier, with register R2 as one of its operands; what is behind it is a
pipeline of ``latency`` clocks with the accumulator R1 and the reduction unit, from which a result
goes to the memory or to R2. All Rowers do the same in each clock, with numbers of their own, each
for the l = n / u elements of either base that it has:

==========  ======================  ================================================================
step        products                operands: R2, and a constant or a variable
==========  ======================  ================================================================
s_b         l                       x, y
xi_b        l                       s_b, -1 / (N B_j)
to a        l n                     ξ of base b, B_i
s_a         l                       x, y
xi_a        2 l                     s_a, 1 / (B A_j) and t, N / (B A_j), added up
w_a         l                       ξ, A_j
to b        l n                     ξ of base a, A_i
==========  ======================  ================================================================

These are l (2n + 6) products. A base transformation takes n clocks in a row for each element that a
Rower has in the other base: each Rower begins with the ξ of its own first element, R2 goes to the
neighbour in each clock, and after u clocks the ξ of the next element follow. Meanwhile the Cox adds
ξ, and the accumulator adds -A where the Cox carries.

Multiplications that depend on each other overlap: a result is multiplied while others of the same
product are on their way. With l > 1 there is always something else to do while a result is on its
way, but in the beginning. With l = 1 there is not, and five results are waited for: a
multiplication takes 5 ``latency`` + 2n clocks less two. The paper's 2n + 20 are enough with a
latency of four clocks.
"""

import contextlib
import functools
import itertools

from . import steps
from .steps import READ, STAGES, Bank, Factor, Product, Take

__all__ = ["Schedule", "inversion", "latency_of", "multiplication", "schedules"]

_LONG_AGO = -1 << 32
_ROUNDS = 6


class Schedule:
    """The clocks of multiplications, each of which takes x from the one before.

    They start every ``interval`` clocks, and clocks are counted from the start of each. Where a
    clock is negative or not below ``interval``, multiplications overlap.
    """

    def __init__(self, n, u, latency, interval, table):
        self.table, self.n, self.u, self.slots = table, n, u, n // u
        self.latency, self.interval = latency, interval
        made = {}
        # Results of the multiplication before come as late as those of this one, found in the last
        # round; as they come later, so do those of this one, and so on.
        for _ in range(_ROUNDS):
            before = made
            self._schedule(before)
            made = {variable: clock for variable, clock in self.made.items()
                    if variable[0] in (Bank.X_A, Bank.X_B)}
            if made == before:
                return
        raise ValueError(f"No order of the results was found with an interval of {interval}")

    def _schedule(self, before):
        #: By the clock in which the factors are at the multiplier, the :class:`Product`.
        self.products = {}
        #: By the clock at whose end R2 takes it, what it takes; and whether that is the result of
        #: the multiplication before instead, if x is this result. Else it does not matter.
        self.sources = {}
        #: By the clock in which the word comes from the memory, its :class:`Bank` and slot.
        self.reads = {}
        #: By bank and slot, the clock in which the last product of a variable is at the multiplier;
        #: ``latency`` clocks later it goes to the memory.
        self.made = {variable: clock - self.interval for variable, clock in before.items()}
        #: Clocks in which the last product of a sum is there that is wanted as it is.
        self.sums = []
        self._used, results = set(), {}
        for name, step in self.table.items():
            start = 0
            for slot in range(self.slots):
                start, made = self._place(name, step, slot, start)
                if step.result is None:
                    self.sums.append(made)
                    continue
                results[step.result, slot] = made
                if step.result not in (Bank.X_A, Bank.X_B):
                    self.made[step.result, slot] = made
        self.made.update(results)

    def _place(self, name, step, slot, start):
        """Give a sum its clocks, from ``start`` on; return the first and the last of them."""
        is_first = name == next(iter(self.table)) and slot == 0
        last = 0 if is_first else start + 4 * self.interval
        clock, terms = start, self._terms(step)
        while clock <= last:
            busy = next((index for index in reversed(range(terms))
                         if ("multiplier", (clock + index) % self.interval) in self._used), None)
            if busy is not None:
                clock += busy + 1
                continue
            plan = self._plan(name, step, slot, clock)
            if plan is not None:
                self._used |= plan.keys()
                done = {"multiplier": self.products, "r2": self.sources, "read": self.reads}
                for (what, _), (when, value) in plan.items():
                    done[what][when] = value
                return clock, clock + terms - 1
            clock += 1
        raise ValueError(f"A multiplication of n = {self.n} on u = {self.u} takes more than "
                         f"{self.interval} clocks")

    def _terms(self, step):
        return self.n * len(step.terms) if step.is_pass else len(step.terms)

    def _plan(self, name, step, slot, clock):
        """Return what a sum that starts in a clock needs, by use and clock; None if that is in use.
        """
        plan = {}

        def use(what, when, value):
            key = what, when % self.interval
            if key in plan or key in self._used:
                return False
            plan[key] = when, value
            return True

        for index in range(self._terms(step)):
            now, kind, factor = clock + index, Factor.CONSTANT, None
            if step.is_pass:
                bank, element = step.terms[index // self.n], index % self.n
                variable = (bank, element // self.u) if element % self.u == 0 else None
            else:
                bank, kind, other = step.terms[index]
                variable, factor = (bank, slot), (None if other is None else (other, slot))
            if not (use("multiplier", now, Product(name, slot, index, kind))  # within the interval
                    and self._take(use, variable, now)
                    and (factor is None or (self._readable(factor, now)
                                            and use("read", now, factor)))):
                return None
        return plan

    def _take(self, use, variable, now):
        """Plan that R2 has a variable, or what R2 of the neighbour had if it is None."""
        if variable is None:
            return use("r2", now - 1, (Take.RING, False))
        is_new = self.made.get(variable, _LONG_AGO) == now - self.latency
        chained = is_new and variable[0] in (Bank.X_A, Bank.X_B)
        if is_new and not chained:
            return use("r2", now - 1, (Take.RESULT, False))
        return ((is_new or self._readable(variable, now - 1))
                and use("r2", now - 1, (Take.MEMORY, chained)) and use("read", now - 1, variable))

    def _readable(self, variable, clock):
        # It is written ``latency`` clocks after it was made, and its address may follow then.
        return self.made.get(variable, _LONG_AGO) + self.latency + 1 + READ <= clock


@functools.cache
def multiplication(n, u, latency):
    """Return the :class:`Schedule` with the shortest interval, or nearly so if l is large."""
    slots = n // u
    intervals = itertools.count(slots * (2 * n + 6), max(slots // 8, 1))
    return next(_possible(n, u, latency, intervals, steps.MULTIPLICATION))


def _possible(n, u, latency, intervals, table):
    for interval in intervals:
        with contextlib.suppress(ValueError):
            yield Schedule(n, u, latency, interval, table)


def latency_of(n, u):
    """Return the clocks of a Rower's pipeline; fewer where there is nothing to do meanwhile.

    The longest one with which a multiplication takes (n / u) (2n + 20) clocks at most.
    """
    shortest, *others = STAGES
    if n == u:
        return shortest
    return next((latency for latency in reversed(others)
                 if multiplication(n, u, latency).interval <= n // u * (2 * n + 20)), others[0])


@functools.cache
def inversion(n, u, latency):
    """Return the :class:`Schedule` of a step of N**-1, each of which takes x from the one before.

    The next step must not overwrite x before it is read. And no product with ``Factor.CHOSEN`` may
    come before clock 0 of the first step, since each of them counts a bit of the exponents.
    """
    def fits(plan):
        last_read = max(clock for clock, (bank, _) in plan.reads.items()
                        if bank in (Bank.X_B, Bank.Y_B))
        return (last_read < plan.interval - 2 * (READ + 1)
                and max(plan.products) < plan.interval - (READ + 1))

    intervals = itertools.count(2 * (latency + READ))
    return next(filter(fits, _possible(n, u, latency, intervals, steps.INVERSION)))


def schedules(n, u, latency, *, crt):
    """Return the :class:`Schedule` of each :class:`~montgomery.cox_rower.microcode.Run`, in order.

    Conversions and products in both bases do not overlap: between the last clock in which something
    is done and ``interval`` there is time for what precedes clock 0. The result of a conversion
    must be another number than x. With CRT, messages and results have twice as many digits, and
    Equation 9 takes residues in both bases.
    """
    slots, wait = n // u, latency + READ

    def plan(clocks, table):
        return Schedule(n, u, latency, clocks + 3 * wait, table)

    found = [multiplication(n, u, latency), plan(slots * 2 * n, steps.CONVERSION),
             plan(slots * 4 * (n + 1), steps.DIGITS_OF_BOTH) if crt else
             plan(slots * (n + 1), steps.DIGITS),
             inversion(n, u, latency), plan(2 * slots, steps.KEY)]
    if crt:
        # Each factor of a product that is read takes a clock: with many elements that is longer
        # than what there is to wait for.
        found += [plan(max(2 * slots, 4 * slots - 2 * wait), steps.PRODUCT),
                  plan(slots * 4 * n, steps.CONVERSION_OF_BOTH)]
    return found
