"""What a Rower multiplies by what, in multiplications and conversions; its pipeline."""

from typing import NamedTuple

from amaranth.lib import enum

__all__ = ["CONVERSION", "CONVERSION_OF_BOTH", "DIGITS", "DIGITS_OF_BOTH", "INVERSION", "KEY",
           "MULTIPLICATION", "PRODUCT", "READ", "STAGES", "Bank", "Factor", "Product", "Stages",
           "Sums", "Take"]

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
    """What the multiplier of each Rower does in a clock: product ``index`` of a sum.

    ``step`` is a key of one of the tables below, and the sum is that of element ``slot`` of those
    that the Rower has.
    """

    step: str
    slot: int
    index: int
    factor: Factor


class Sums(NamedTuple):
    """The sums of products of a step, one for each element that a Rower has.

    ``result`` is a :class:`Bank`, or None if the sums are wanted as they are. ``terms`` are what is
    in R2, and what it is multiplied by, in turn. In a base transformation, a ``pass``, they are the
    banks whose residues go round, one after the other.
    """

    result: Bank | None
    terms: tuple

    @property
    def is_pass(self):
        """Whether it is a base transformation."""
        return isinstance(self.terms[0], Bank)


#: In the order in which they are given their clocks: what can fill gaps comes later.
MULTIPLICATION = {
    "s_b": Sums(Bank.S_B, ((Bank.X_B, Factor.Y, Bank.Y_B),)),
    "xi_b": Sums(Bank.XI_B, ((Bank.S_B, Factor.VARIABLE, Bank.TO_XI),)),
    "to a": Sums(Bank.T_A, (Bank.XI_B,)),
    "s_a": Sums(Bank.S_A, ((Bank.X_A, Factor.Y, Bank.Y_A),)),
    "xi_a": Sums(Bank.XI_A, ((Bank.S_A, Factor.CONSTANT, None),
                             (Bank.T_A, Factor.VARIABLE, Bank.T_TO_XI))),
    "to b": Sums(Bank.X_B, (Bank.XI_A,)),
    "w_a": Sums(Bank.X_A, ((Bank.XI_A, Factor.CONSTANT, None),)),
}
#: The digits of x go round, and the result are its residues: Equation 8.
CONVERSION = {
    "radix a": Sums(Bank.X_A, (Bank.X_A,)),
    "radix b": Sums(Bank.X_B, (Bank.X_A,)),
}
#: The same of twice as many digits, the upper ones in the place of residues in base b.
CONVERSION_OF_BOTH = {
    "radix a": Sums(Bank.X_A, (Bank.X_A, Bank.X_B)),
    "radix b": Sums(Bank.X_B, (Bank.X_A, Bank.X_B)),
}
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
