"""Sizes and times of the array."""

import dataclasses

from ..core import Cycles, ceil_div

__all__ = ["Schedule", "Slots"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Slots:
    """What all forms of the array have in common: slots, and digits on PEs.

    Attributes
    ----------
    digit_width : :class:`int`
        Bits of a digit, the base b being 2**digit_width.
    digits : :class:`int`
        Digits of x, and PEs' digits in use.
    per_element : :class:`int`
        Digits of a PE.
    """

    digit_width: int
    digits: int
    per_element: int

    @property
    def elements(self):
        """Number of PEs."""
        return ceil_div(self.digits, self.per_element)

    @property
    def spacing(self):
        """Clocks from a digit to the next, within a PE or from the last of one to the next one's.

        Within a PE it is two, since both products of a digit come from the same multiplier.
        """
        return 1 if self.per_element == 1 else 2

    @property
    def hop(self):
        """Clocks from a PE to the next."""
        return self.per_element * self.spacing

    @property
    def interval(self):
        """Clocks from a multiplication to one with its result."""
        return (self.slots - 1) * self.period + self.restart


@dataclasses.dataclass(frozen=True, kw_only=True)
class Schedule(Slots):
    """Sizes and times of the array.

    Time is counted in clocks from the beginning of a slot, the iteration for one digit of x, at the
    first processing element (PE); the next PE is ``hop`` clocks later. In clock 2k of a slot the
    multiplier of a PE takes the digit of x and digit k of y, in clock 2k + 1 the quotient digit and
    digit k of the modulus. Digit k of the new sum is there in clock ``2k + sum_latency``.

    Attributes
    ----------
    digit_width, digits, per_element : :class:`int`
        Those of :class:`Slots`.
    """

    #: Digits of what the modulus is scaled by.
    excess = 0
    #: Multipliers besides one for each PE: CU's.
    extra_multipliers = 2
    #: Operands are given when the product before has left the array.
    overlaps = False
    #: Clocks from the order to begin to the first slot.
    lead = 2

    @property
    def multiplier_latency(self):
        """Clocks through a multiplier of a PE.

        Where a quotient digit is waited for, all do without the register within the multiplication,
        and the one with m' has that in front of it only.
        """
        return 2 if self.ahead else 3

    @property
    def sum_latency(self):
        """Clocks from a digit of x to the digit of the sum: the products, and two additions."""
        return self.multiplier_latency + 3

    @property
    def ahead(self):
        """Whether the lowest digit of the sum is found ahead of the sum, since it is waited for."""
        return self.per_element <= 2

    @property
    def quotient_latency(self):
        """Clocks from the lowest digit of the sum to the quotient digit."""
        return 1 if self.ahead else self.multiplier_latency

    @property
    def slots(self):
        """Slots of a multiplication."""
        return self.digits + 1

    @property
    def period(self):
        """Clocks of a slot."""
        if self.ahead:
            return self.per_element + 2
        return max(2 * self.per_element, self.sum_latency + self.quotient_latency - 1)

    @property
    def delay(self):
        """Clocks for which a digit of the sum waits to be added one place lower, in the next slot.

        Digit k + 1 is there in clock ``spacing + sum_latency`` of digit k, and is added to it
        two clocks before digit k of the next slot is there.
        """
        return self.period - self.spacing - 2

    @property
    def restart(self):
        """Clocks from the last slot of a multiplication to the first of one with its result.

        As long as two slots the array takes to forget the sum. Each digit of the result passes
        through a memory to be a digit of x: written two clocks after it was found, it is read in
        two, and kept in a register.
        """
        return max(2 * self.period, self.sum_latency + 5)

    @property
    def initiation(self):
        """Clocks from a multiplication to the next one, whose operands are sent.

        A y that was sent is read when the product before has left the array, and enters it.
        """
        return self.interval + self.digits + 2

    def arrival(self, digit):
        """Return the clocks from digit 0 of the result to another, both back at the first PE."""
        element, own = divmod(digit, self.per_element)
        return element * (self.hop + 1) + own * self.spacing

    def cycles(self, *, ratio):
        """Return the :class:`~montgomery.Cycles` of the multiplier.

        Parameters
        ----------
        ratio : :class:`int`
            Digits in a word of the streams.
        """
        # m' has a bit a clock from the one after that of m_0.
        load, load_key = self.digits, max(self.digits + 1, self.digit_width + 2)
        # The first slot begins two clocks after the last digit came, and four after the first one,
        # of x; the digits of the last slot pass through the queue.
        compute = 2 + int(self.digits < 3) + self.digits * self.period + self.sum_latency + 1
        unload = 1 + self.arrival(self.digits - 1) - self.arrival(ratio - 1)
        if ratio > 1:
            # A word is accepted as a whole before its digits, and is there after the last of them.
            load -= ratio - 1
            load_key += 1
            compute += ratio + 1 + self.arrival(ratio - 1)
        return Cycles(load_key=load_key, load=load, compute=compute, unload=unload,
                      interval=self.interval)
