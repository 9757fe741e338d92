"""What a Rower does in each clock of a multiplication, and of conversions.

A Rower has one multiplier, with register R2 as one of its operands; what is behind it is a
pipeline of ``latency`` clocks with the accumulator R1 and the reduction unit, from which a result
goes to the memory or to R2. All Rowers do the same in each clock, with numbers of their own, each
for the l = n / u elements of either base that it has: for the steps of :data:`MULTIPLICATION`, l
(2n + 6) products.

A base transformation takes n clocks in a row for each element that a Rower has in the other base:
each Rower begins with the ξ of its own first element, R2 goes to the neighbour in each clock, and
after u clocks the ξ of the next element follow. Meanwhile the Cox adds ξ, and the accumulator adds
-A where the Cox carries.

Multiplications that depend on each other overlap: a result is multiplied while others of the same
product are on their way. With l > 1 there is always something else to do while a result is on its
way, but in the beginning. With l = 1 there is not, and five results are waited for: a
multiplication takes 5 ``latency`` + 2n clocks less two. The paper's 2n + 20 are enough with a
latency of four clocks.
"""

import contextlib
import functools
import itertools
from typing import NamedTuple

from amaranth.lib import enum

__all__ = ["READ", "STAGES", "Bank", "Factor", "Schedule", "Stages", "Take", "inversion",
           "latency_of", "multiplication", "schedules"]

#: Clocks from an address to the word, of memories of variables and of constants.
READ = 2


class Take(enum.IntEnum):
    """What R2 takes at the end of a clock."""

    NOTHING, RING, MEMORY, RESULT = range(4)


class Factor(enum.Enum):
    """What R2 is multiplied by."""

    CONSTANT = 0
    VARIABLE = 1
    #: y, which for squares is in R2.
    Y = 2
    #: The variable where the Rower's own exponent has a one, and the constant where it has a zero.
    CHOSEN = 3


class Bank(enum.IntEnum):
    """Variables; a Rower has l words of each.

    The banks up to ``Y_B`` are parts of numbers, for base a and for base b. ``T_TO_XI`` and
    ``TO_XI`` belong to the number that is the key, ``X_A`` and ``X_B`` to x and to the result,
    ``Y_A`` and ``Y_B`` to y.
    """

    T_TO_XI, TO_XI, X_A, X_B, Y_A, Y_B, S_A, S_B, T_A, XI_A, XI_B = range(11)


class Product(NamedTuple):
    """What the multiplier of each Rower does in a clock."""

    step: str  # a key of one of the tables below
    slot: int  # which of the elements that the Rower has
    index: int  # which product of the sum of that
    factor: Factor


class Sums(NamedTuple):
    """The sums of products of a step, one for each element that a Rower has."""

    result: Bank | None  # None if the sums are wanted as they are
    #: What is in R2, and what it is multiplied by, in turn. In a base transformation, a ``pass``,
    #: they are the banks whose residues go round, one after the other.
    terms: tuple

    @property
    def is_pass(self):
        """Whether it is a base transformation."""
        return isinstance(self.terms[0], Bank)


#: In the order in which steps are given their clocks: what can fill gaps comes later.
MULTIPLICATION = {
    "s_b": Sums(Bank.S_B, ((Bank.X_B, Factor.Y, Bank.Y_B),)),
    "xi_b": Sums(Bank.XI_B, ((Bank.S_B, Factor.VARIABLE, Bank.TO_XI),)),  # by -1 / (N B_j)
    "to a": Sums(Bank.T_A, (Bank.XI_B,)),  # by B_i
    "s_a": Sums(Bank.S_A, ((Bank.X_A, Factor.Y, Bank.Y_A),)),
    "xi_a": Sums(Bank.XI_A, ((Bank.S_A, Factor.CONSTANT, None),  # by 1 / (B A_j)
                             (Bank.T_A, Factor.VARIABLE, Bank.T_TO_XI))),  # by N / (B A_j)
    "to b": Sums(Bank.X_B, (Bank.XI_A,)),  # by A_i
    "w_a": Sums(Bank.X_A, ((Bank.XI_A, Factor.CONSTANT, None),)),  # by A_j
}
_RESIDUES = {"radix a": Bank.X_A, "radix b": Bank.X_B}
#: The digits of x go round, and the result are its residues: Equation 8.
CONVERSION = {step: Sums(bank, (Bank.X_A,)) for step, bank in _RESIDUES.items()}
#: The same of twice as many digits, the upper ones in the place of residues in base b.
CONVERSION_OF_BOTH = {step: Sums(bank, (Bank.X_A, Bank.X_B))
                      for step, bank in _RESIDUES.items()}
#: A step of N**-1 as a power of N, which is in the place of ``TO_XI``: x is squared, and multiplied
#: by N or by 1. Modulo base b alone.
INVERSION = {
    "s_b": MULTIPLICATION["s_b"],
    "choose": Sums(Bank.X_B, ((Bank.S_B, Factor.CHOSEN, Bank.TO_XI),)),
}
#: A key, of N**-1, which is x, and N modulo base a, which is in the place of ``T_TO_XI``.
KEY = {
    "t_to_xi": Sums(Bank.T_TO_XI, ((Bank.T_TO_XI, Factor.CONSTANT, None),)),
    "to_xi": Sums(Bank.TO_XI, ((Bank.X_B, Factor.CONSTANT, None),)),
}
#: The sums of Equation 9, which are no residues: they go to the correction.
DIGITS = {
    "xi": Sums(Bank.XI_A, ((Bank.X_A, Factor.CONSTANT, None),)),
    "digits": Sums(None, (Bank.XI_A,)),
}
#: The same for x + y, from residues in both bases.
DIGITS_OF_BOTH = {
    "xi": Sums(Bank.XI_A, ((Bank.X_A, Factor.CONSTANT, None), (Bank.Y_A, Factor.CONSTANT, None))),
    "xi of b": Sums(Bank.XI_B, ((Bank.X_B, Factor.CONSTANT, None),
                                (Bank.Y_B, Factor.CONSTANT, None))),
    "digits": Sums(None, (Bank.XI_A, Bank.XI_B)),
    "high digits": Sums(None, (Bank.XI_A, Bank.XI_B)),
}
#: x y, which is below AB.
PRODUCT = {
    "s_b": Sums(Bank.X_B, ((Bank.X_B, Factor.Y, Bank.Y_B),)),
    "s_a": Sums(Bank.X_A, ((Bank.X_A, Factor.Y, Bank.Y_A),)),
}


class Stages(NamedTuple):
    """Where a Rower has registers between the factors and the result.

    There are ``factors`` before the multiplication, and one behind the partial products; ``sums``
    of these: 0; 1; or 2, which are one of the two sums of products of the same weight, and one of
    their sum. Then comes the accumulator R1. For each of the first ``folds`` of the reduction there
    are some behind its multiplication, and behind its addition; and then comes R2.
    """

    factors: int
    sums: int
    folds: tuple

    @property
    def to_sum(self):
        """Clocks from the factors at the multiplier to the sum in R1."""
        return self.factors + 1 + self.sums + 1

    @property
    def latency(self):
        """Clocks from the factors at the multiplier to the result in R2."""
        return self.to_sum + sum(map(sum, self.folds)) + 1


#: Those that a Rower can be made with, by their latency, in rising order.
STAGES = {each.latency: each for each in (
    Stages(factors=0, sums=0, folds=((0, 1),)),
    Stages(factors=0, sums=1, folds=((1, 1), (1, 1))),
    Stages(factors=1, sums=2, folds=((2, 1), (1, 1))),
)}

_LONG_AGO = -1 << 32


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
        for _ in range(6):
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
    return next(_possible(n, u, latency, intervals, MULTIPLICATION))


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
    return next(filter(fits, _possible(n, u, latency, intervals, INVERSION)))


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

    found = [multiplication(n, u, latency), plan(slots * 2 * n, CONVERSION),
             plan(slots * 4 * (n + 1), DIGITS_OF_BOTH) if crt else
             plan(slots * (n + 1), DIGITS),
             inversion(n, u, latency), plan(2 * slots, KEY)]
    if crt:
        # Each factor of a product that is read takes a clock: with many elements that is longer
        # than what there is to wait for.
        found += [plan(max(2 * slots, 4 * slots - 2 * wait), PRODUCT),
                  plan(slots * 4 * n, CONVERSION_OF_BOTH)]
    return found
