"""What depends on the modulus alone, Section 3."""

import dataclasses

from .bases import carmichael
from .conversion import to_rns
from .divider import remainder
from .rns import Residues

__all__ = ["Key", "inverse", "prepare"]


@dataclasses.dataclass(frozen=True)
class Key:
    """A modulus as the Rowers use it.

    Attributes
    ----------
    modulus : :class:`int`
    to_xi : tuple of :class:`int`
        For each element of b, -(N B_j)**-1.
    t_to_xi : tuple of :class:`int`
        For each element of a, N (B A_j)**-1.
    one : :class:`~montgomery.cox_rower.rns.Residues`
        Of B_N = B mod N, the number 1 in the Montgomery domain.
    square : :class:`~montgomery.cox_rower.rns.Residues`
        Of B**2 mod N, by which a number is brought into the domain.
    """

    modulus: int
    to_xi: tuple
    t_to_xi: tuple
    one: Residues
    square: Residues


def inverse(rns, residues):
    """Return N**-1 modulo each element of b, as N**(λ - 1), from the residues of N there.

    λ is the Carmichael function of the element, so the exponents are constants, one per Rower. All
    square at the same time, and multiply where their own exponent has a one.
    """
    powers = []
    for residue, element in zip(residues, rns.bases.b, strict=True):
        exponent = carmichael(element) - 1
        power = 1
        for index in reversed(range(rns.bases.r)):
            power = rns.reduce(power * power, element)
            if exponent >> index & 1:
                power = rns.reduce(power * residue, element)
        powers.append(power)
    return tuple(powers)


def prepare(rns, modulus):
    """Return the :class:`Key` of a modulus, by steps 1 to 4 of Figure 4.

    Raises
    ------
    TypeError, ValueError
        As :meth:`~montgomery.cox_rower.bases.BaseSet.check_modulus` does.
    """
    bases = rns.bases
    bases.check_modulus(modulus)
    one = remainder(bases.b_product, modulus, bases.r)
    square = remainder(bases.b_product ** 2, modulus, bases.r)
    n = to_rns(rns, modulus)
    # The minus of -N**-1 is in the constant by which it is multiplied anyway.
    to_xi = rns.each(bases.b, inverse(rns, n.b), rns.negated_inverse_of_b_j)
    t_to_xi = rns.each(bases.a, n.a, rns.s_to_xi)
    return Key(modulus, to_xi, t_to_xi, to_rns(rns, one), to_rns(rns, square))
