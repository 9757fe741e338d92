"""When a product is where: the clocks of Table I, as they are here."""

import dataclasses

__all__ = ["ProductSchedule"]


@dataclasses.dataclass(frozen=True)
class ProductSchedule:
    """Clocks of one product of ``digits`` digits.

    Pairs of clocks follow each other, with a multiplication in each clock. The paper's iteration
    ends with a pair for the carries, and waits for the next q then. Here that q is nearly found by
    then, and waited for in a single pair:

    =========  ========================  ===========================================================
    pair       multiplications           what they are for
    =========  ========================  ===========================================================
    special    X_0 Y_{i+1}, t (-1/M)     the lower half of the second one is q
    none       none                      q leaves the multiplier, far away
    0 to d-1   X_j Y_i, q M_j            digit j of S + X Y_i + q M; digit 0 is 0
    flush      none                      digit d, the carries alone
    =========  ========================  ===========================================================

    Digit 1 is digit 0 of the next S; with the product of the special pair before it makes the next
    t = X_0 Y_{i+1} + S_0, in time for the special pair that follows if there are four digits. Where
    there are fewer, pairs for digits of 0 fill the iteration up to four: :attr:`iteration` counts
    their clocks, :attr:`multiplications` does not count their products.

    The first iteration is preceded by a pair that reads X_0 and multiplies Y_0 by it, which is the
    first t, and another one, in which that leaves the multiplier.

    Attributes
    ----------
    digits : :class:`int`
        Number d.
    """

    digits: int

    #: Digits from which on the next q is known in time.
    SHORTEST = 4
    #: Pairs without effect in the beginning.
    WAITS = 1
    #: Clocks from the end of the last iteration to the first digit of the result at the port.
    TAIL = 9

    @property
    def iteration(self):
        """Clocks of an iteration."""
        return 2 * max(self.digits, self.SHORTEST) + 6

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

        These are the ``2 d**2 + d`` of the paper's Equation 1: by X, by M, and by -1/M. That of
        X_0 in a special pair is done again in pair 0, and not counted; nor are those of digits that
        are not there.
        """
        return 2 * self.digits**2 + self.digits
