"""What a Rower does in each clock of a multiplication.

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

These are l (2n + 6) products. For a base transformation, n clocks in a row for each element that a
Rower has in the other base, its ξ go round: each Rower begins with ξ of its own first element, R2
goes to the neighbour in each clock, and after u clocks comes the next element's. The Cox adds ξ
meanwhile, and the accumulator -A where there is a carry.

With l > 1 there is always something else to do while a result is waited for, but in the beginning.
With l = 1 there is not, and everything waits five times: two clocks less than 5 ``latency`` + 2n.
The paper's 2n + 20 are enough with a latency of four clocks.

Multiplications that depend on each other overlap: a result is multiplied while others of the same
product are on their way.
"""

import functools
import itertools

from .steps import MULTIPLICATION, READ, Bank, Factor, Product, Source

__all__ = ["Schedule", "schedule"]

_LONG_AGO = -1 << 32
_ROUNDS = 6


class Schedule:
    """The clocks of multiplications each of which takes x from the one before.

    They start every ``interval`` clocks, and a clock number is the same in each of them: where it
    is negative or not below ``interval``, multiplications overlap.

    Parameters
    ----------
    n, u : :class:`int`
    latency : :class:`int`
        Clocks from the factors at the multiplier to the result in R2.
    interval : :class:`int`
        Clocks between two multiplications.
    steps : dict
        What is done, if it is no multiplication.

    Attributes
    ----------
    products : dict from :class:`int` to :class:`Product`
        By the clock in which the factors are at the multiplier.
    sources : dict from :class:`int` to :class:`Source`
        By the clock at whose end R2 takes it, where this matters.
    reads : dict from :class:`int` to tuple of :class:`Bank` and slot
        By the clock in which the word comes from the memory.
    made : dict from tuple of :class:`Bank` and slot to :class:`int`
        Clock in which the last product of a variable is at the multiplier; ``latency`` clocks later
        it goes to the memory.
    sums : list of :class:`int`
        The same clock of each sum that is wanted as it is, in their order.

    Raises
    ------
    ValueError
        If the interval is too short.
    """

    def __init__(self, n, u, latency, interval, steps=MULTIPLICATION):
        self.steps = steps
        self.n, self.u, self.latency, self.interval = n, u, latency, interval
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

    @property
    def slots(self):
        """Number l of elements that a Rower has in either base."""
        return self.n // self.u

    def _schedule(self, before):
        self.products, self.sources, self.reads = {}, {}, {}
        self.made = {variable: clock - self.interval for variable, clock in before.items()}
        self._used, self.sums, results = set(), [], {}
        for name, step in self.steps.items():
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
        is_first = name == next(iter(self.steps)) and slot == 0
        last = 0 if is_first else start + 4 * self.interval
        clock, terms = start, self._terms(step)
        while clock <= last:
            busy = next((index for index in reversed(range(terms))
                         if ("multiplier", (clock + index) % self.interval) in self._used), None)
            if busy is not None:
                clock += busy + 1
                continue
            plan = self._plan(step, slot, clock)
            if plan is not None:
                self._used |= plan.keys()
                self._record(name, step, slot, clock, plan)
                return clock, clock + terms - 1
            clock += 1
        raise ValueError(f"A multiplication of n = {self.n} on u = {self.u} takes more than "
                         f"{self.interval} clocks")

    def _terms(self, step):
        return self.n * len(step.terms) if step.is_pass else len(step.terms)

    def _plan(self, step, slot, clock):
        """Return what a sum that starts in a clock needs, None if it is in use or not there yet.

        A dictionary from what is used in which clock, modulo ``interval``, to what is done there.
        """
        plan = {}

        def use(what, when, value):
            key = what, when % self.interval
            if key in plan or key in self._used:
                return False
            plan[key] = when, value
            return True

        for index in range(self._terms(step)):
            now, factor = clock + index, None
            if not use("multiplier", now, index):  # as long as the interval
                return None
            if step.is_pass:
                bank, element = step.terms[index // self.n], index % self.n
                variable = (bank, element // self.u) if element % self.u == 0 else None
            else:
                bank, _, other = step.terms[index]
                variable, factor = (bank, slot), (None if other is None else (other, slot))
            if not (self._take(use, variable, now) and
                    (factor is None or (self._readable(factor, now)
                                        and use("read", now, factor)))):
                return None
        return plan

    def _take(self, use, variable, now):
        """Plan that R2 has a variable, or what comes round if it is None."""
        if variable is None:
            return use("r2", now - 1, Source.RING)
        chained = variable[0] in (Bank.X_A, Bank.X_B)
        if self.made.get(variable, _LONG_AGO) == now - self.latency:
            return use("r2", now - 1, Source.CHAIN if chained else Source.RESULT) and (
                not chained or use("read", now - 1, variable))
        return (self._readable(variable, now - 1) and use("r2", now - 1, Source.MEMORY)
                and use("read", now - 1, variable))

    def _readable(self, variable, clock):
        # It is written ``latency`` clocks after it was made, and its address may follow then.
        return self.made.get(variable, _LONG_AGO) + self.latency + 1 + READ <= clock

    def _record(self, name, step, slot, clock, plan):
        for (what, _), (when, value) in plan.items():
            if what == "multiplier":
                factor = Factor.CONSTANT if step.is_pass else step.terms[value][1]
                last = value == self._terms(step) - 1
                self.products[when] = Product(name, slot, value, factor, last)
            elif what == "r2":
                self.sources[when] = value
            else:
                self.reads[when] = value


@functools.cache
def schedule(n, u, latency):
    """Return the :class:`Schedule` with the shortest interval, or nearly so if l is large."""
    slots = n // u
    for interval in itertools.count(slots * (2 * n + 6), max(slots // 8, 1)):
        try:
            return Schedule(n, u, latency, interval)
        except ValueError:
            continue
