"""When a product is where: the clocks of Table I, as they are here."""

import dataclasses

__all__ = ["Schedule"]


@dataclasses.dataclass(frozen=True)
class Schedule:
    """Clocks of one product of ``digits`` digits.

    Pairs of clocks follow each other, one multiplication a clock. In the pair of digit j, the
    multiplier is given X_j Y_i and q M_j. The paper's iteration ends with a pair for the carries,
    and then waits for the next q. Here that q is found on the way:

    ======  =======================  ==============================================================
    pair    multiplier               sum
    ======  =======================  ==============================================================
    0, 1    X_0 Y_i, q M_0, and 1    digits 0 (which becomes 0) and 1 of S + X Y_i + q M
    bubble  X_0 Y_{i+1}, nothing     its lower half and digit 1, which is digit 0 of the next S
    2...    X_j Y_i, q M_j           digit j
    flush   that sum by -1/M         digit d, the carries alone
    ======  =======================  ==============================================================

    The first three multiplications of pair 0 that follow need q only in the second clock, in which
    it leaves the multiplier. With less than four digits, digits of 0 are added, and not counted.

    Attributes
    ----------
    digits : :class:`int`
        Number d.
    """

    digits: int

    #: Digits for which there is time until the next q is known.
    SHORTEST = 4
    #: Pairs until the first q is known.
    WAITS = 3
    #: Clocks from the end of the last iteration to the first digit of the result at the port.
    TAIL = 7

    @property
    def iteration(self):
        """Clocks of an iteration."""
        return 2 * max(self.digits, self.SHORTEST) + 4

    @property
    def product(self):
        """Clocks from one product to the next, where these take operands from the memory."""
        return 2 * (1 + self.WAITS) + self.digits * self.iteration

    @property
    def result(self):
        """Clocks from the last word of the operands to the first one of the result."""
        return 2 + self.product + self.TAIL

    @property
    def multiplications(self):
        """Clocks of a product in which the multiplier does what the algorithm asks for.

        These are the ``2 d**2 + d`` of the paper's Equation 1: X_0 Y_i counts twice, once for q and
        once for the sum, and a multiplication by -1/M not at all. Those of digits that are not
        there do not count.
        """
        return 2 * self.digits**2 + self.digits
