"""Sizes and times of the array with a delayed quotient."""

import dataclasses

from ..core import Cycles
from .schedule import Slots

__all__ = ["DelayedSchedule"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DelayedSchedule(Slots):
    """Sizes and times of the array with a delayed quotient.

    Time is counted in clocks from the beginning of a slot, the step for one digit of x, at the
    first processing element (PE); the next PE is ``hop`` clocks later. In clock 2k of a slot the
    multiplier of a PE takes the digit of x and digit k of y, in clock 2k + 1 the quotient digit and
    digit k of the modulus. There are ``delay`` + 1 slots without x after those of its digits.

    Attributes
    ----------
    digit_width, digits, per_element : :class:`int`
        Those of :class:`~.schedule.Slots`.
    delay : :class:`int`
        Slots from the one before which a quotient digit is the lowest digit of the sum to the one
        in which it is used.
    """

    #: The longest delay.
    MOST = 2

    delay: int

    #: All PEs have one multiplier.
    extra_multipliers = 0

    #: Clocks from a digit of x to the part of the sum with its product: a multiplication, the
    #: addition of both digits of products, and that to the sum.
    x_latency = 5
    #: Clocks from a digit of x to the lowest digit of the whole sum: the part with the product of
    #: the quotient digit is a clock later, and added to the other one in one more.
    quotient_latency = 7
    #: The same, to the digit of the result, which is in a register.
    sum_latency = 8

    @classmethod
    def delay_of(cls, per_element):
        """Return the shortest delay, which leaves time for :attr:`quotient_latency`.

        It is a multiple of the digits of a PE, so that a digit of the result is found in the PE
        where it becomes one of y, or as many PEs below it as it does for all others.
        """
        return 0 if per_element > 2 else cls.MOST

    @property
    def excess(self):
        """Digits of what the modulus is scaled by."""
        return self.delay + 1

    @property
    def period(self):
        """Clocks of a slot."""
        return 2 * self.per_element

    @property
    def slots(self):
        """Slots of a multiplication."""
        return self.digits + self.delay + 1

    @property
    def overlaps(self):
        """Whether digits of y are taken while there are slots of the product before."""
        return self.per_element == 1

    @property
    def keep_latency(self):
        """Clocks from a digit of y in the last slot to when the result takes its place."""
        # A digit of the result comes from the PEs below, which are as many clocks ahead.
        return self.quotient_latency - self.delay * self.spacing

    @property
    def lead(self):
        """Clocks from the order to begin to the first slot; a y that waits is passed on in one."""
        return 3 if self.overlaps else 2

    @property
    def restart(self):
        """Clocks from the last slot of a multiplication to the first of one with its result.

        Each digit of the result passes through a memory to be a digit of x: written two clocks
        after it was found, it is read in two, and is there in the clock before its slot. All of
        the result is y before another y is given to a folded PE, and the memory is read in time.
        """
        settled = 0 if self.overlaps else self.period + max(self.keep_latency, 5)
        return max(settled, self.sum_latency + 5 - self.delay * self.period)

    @property
    def initiation(self):
        """Clocks from a multiplication to the next one, whose operands are sent."""
        if self.overlaps:
            return self.slots * self.period
        return self.interval + self.digits + 2

    def arrival(self, digit):
        """Return the clocks from digit 0 of the result to another, both back at the first PE.

        The lowest digits have moved down to the first PE before the sum is complete.
        """
        moved = min(digit, self.delay)
        element, own = divmod(digit - moved, self.per_element)
        return moved * self.period + element * (self.hop + 1) + own * self.spacing

    def cycles(self, *, ratio):
        """Return the :class:`~montgomery.Cycles` of the multiplier.

        Parameters
        ----------
        ratio : :class:`int`
            Digits in a word of the streams.
        """
        load, load_key = self.digits, self.digits + 1
        # The digits of the result pass through the queue, without folding from a register.
        compute = self.lead + self.digits * self.period + self.sum_latency + 1 + self.overlaps
        unload = 1 + self.arrival(self.digits - 1) - self.arrival(ratio - 1)
        if ratio > 1:
            # A word is accepted as a whole before its digits, and is there after the last of them.
            load -= ratio - 1
            load_key += 1
            compute += ratio + 1 + self.arrival(ratio - 1)
        return Cycles(load_key=load_key, load=load, compute=compute, unload=unload,
                      interval=self.interval)
