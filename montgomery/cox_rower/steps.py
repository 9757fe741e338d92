"""What is multiplied by what: the steps of a multiplication, and those of conversions."""

import dataclasses

from amaranth.lib import enum

__all__ = ["CONVERSION", "CONVERSION_OF_BOTH", "DIGITS", "DIGITS_OF_BOTH", "INVERSION", "KEY",
           "MULTIPLICATION", "PRODUCT", "READ", "Bank", "Factor", "Product", "Source", "Step"]

#: Clocks from an address to the word, of memories of variables and of constants.
READ = 2


class Source(enum.Enum):
    """Where R2 comes from."""

    RING = 0
    MEMORY = 1
    RESULT = 2
    #: The result of the multiplication before, if x is that; else the memory.
    CHAIN = 3


class Factor(enum.Enum):
    """The other factor."""

    CONSTANT = 0
    VARIABLE = 1
    #: y, which for squares is in R2.
    Y = 2
    #: The variable where the Rower's own exponent has a one, and the constant where it has a zero.
    CHOSEN = 3


class Bank(enum.IntEnum):
    """Variables; a Rower has l words of each.

    Those of x and y, of the result, which is the next x, and of the key exist once for each number;
    the first two are those of the key.
    """

    T_TO_XI, TO_XI, X_A, X_B, Y_A, Y_B, S_A, S_B, T_A, XI_A, XI_B = range(11)


@dataclasses.dataclass(frozen=True)
class Product:
    """What the multiplier of each Rower does in a clock.

    Attributes
    ----------
    step : :class:`str`
        One of the table above.
    slot : :class:`int`
        The sum is that of this element, of those that the Rower has.
    index : :class:`int`
        Number of the product in the sum.
    factor : :class:`Factor`
    last : bool
        The sum is complete.
    """

    step: str
    slot: int
    index: int
    factor: Factor
    last: bool


@dataclasses.dataclass(frozen=True)
class Step:
    """The sums of a step.

    Attributes
    ----------
    result : :class:`Bank` or ``None``
        None if the sums are wanted as they are.
    terms : tuple
        What is in R2, and what it is multiplied by, in turn; for a base transformation, the ξ, of
        one base after the other if there are two.
    is_pass : bool
        It is a base transformation.
    """

    result: Bank
    terms: tuple
    is_pass: bool = False


#: In the order in which they are given their clocks: what can fill gaps comes later.
MULTIPLICATION = {
    "s_b": Step(Bank.S_B, ((Bank.X_B, Factor.Y, Bank.Y_B),)),
    "xi_b": Step(Bank.XI_B, ((Bank.S_B, Factor.VARIABLE, Bank.TO_XI),)),
    "to a": Step(Bank.T_A, (Bank.XI_B,), is_pass=True),
    "s_a": Step(Bank.S_A, ((Bank.X_A, Factor.Y, Bank.Y_A),)),
    "xi_a": Step(Bank.XI_A, ((Bank.S_A, Factor.CONSTANT, None),
                              (Bank.T_A, Factor.VARIABLE, Bank.T_TO_XI))),
    "to b": Step(Bank.X_B, (Bank.XI_A,), is_pass=True),
    "w_a": Step(Bank.X_A, ((Bank.XI_A, Factor.CONSTANT, None),)),
}
#: The digits of x go round, and the result are its residues: Equation 8.
CONVERSION = {
    "radix a": Step(Bank.X_A, (Bank.X_A,), is_pass=True),
    "radix b": Step(Bank.X_B, (Bank.X_A,), is_pass=True),
}
#: The same of twice as many digits, the upper ones in the place of residues in base b.
CONVERSION_OF_BOTH = {
    "radix a": Step(Bank.X_A, (Bank.X_A, Bank.X_B), is_pass=True),
    "radix b": Step(Bank.X_B, (Bank.X_A, Bank.X_B), is_pass=True),
}
#: A step of N**-1 as a power of N, which is in the place of ``TO_XI``: x is squared, and multiplied
#: by N or by 1. Modulo base b alone.
INVERSION = {
    "s_b": Step(Bank.S_B, ((Bank.X_B, Factor.Y, Bank.Y_B),)),
    "choose": Step(Bank.X_B, ((Bank.S_B, Factor.CHOSEN, Bank.TO_XI),)),
}
#: What is made of that, which is x, and of N modulo base a, in the place of ``T_TO_XI``.
KEY = {
    "t_to_xi": Step(Bank.T_TO_XI, ((Bank.T_TO_XI, Factor.CONSTANT, None),)),
    "to_xi": Step(Bank.TO_XI, ((Bank.X_B, Factor.CONSTANT, None),)),
}
#: The sums of Equation 9, which are no residues and go elsewhere.
DIGITS = {
    "xi": Step(Bank.XI_A, ((Bank.X_A, Factor.CONSTANT, None),)),
    "digits": Step(None, (Bank.XI_A,), is_pass=True),
}
#: Those of a sum x + y, by its residues in both bases.
DIGITS_OF_BOTH = {
    "xi": Step(Bank.XI_A, ((Bank.X_A, Factor.CONSTANT, None), (Bank.Y_A, Factor.CONSTANT, None))),
    "xi of b": Step(Bank.XI_B, ((Bank.X_B, Factor.CONSTANT, None),
                                (Bank.Y_B, Factor.CONSTANT, None))),
    "digits": Step(None, (Bank.XI_A, Bank.XI_B), is_pass=True),
    "high digits": Step(None, (Bank.XI_A, Bank.XI_B), is_pass=True),
}
#: x y, which is below AB.
PRODUCT = {
    "s_b": Step(Bank.X_B, ((Bank.X_B, Factor.Y, Bank.Y_B),)),
    "s_a": Step(Bank.X_A, ((Bank.X_A, Factor.Y, Bank.Y_A),)),
}
