"""RSA decryption without and with the Chinese remainder theorem, Figures 4 and 5."""

import dataclasses
import math

from ..arithmetic import check_operand, shown
from ..core import from_words
from .conversion import RadixConstants, to_radix, to_rns
from .exponentiation import WINDOW, digits_of, power
from .key import Key, prepare
from .rns import Residues

__all__ = ["CrtKey", "correct", "decrypt", "decrypt_crt", "prepare_crt"]


def correct(value, modulus, multiples):
    """Return ``value - c modulus`` below the modulus, for a value below ``multiples`` times it.

    Each multiple of a power of two is subtracted and the difference taken if it is not negative.
    """
    for power_of_2 in reversed(range((multiples - 1).bit_length())):
        difference = value - (modulus << power_of_2)
        value = value if difference < 0 else difference
    return value


def decrypt(rns, key, message, exponent, *, exponent_bits=None, window=WINDOW, both=False):
    """Return ``message**exponent % key.modulus``: steps 4 to 9 of Figure 4.

    Parameters
    ----------
    key : :class:`~montgomery.cox_rower.key.Key`
        By :func:`~montgomery.cox_rower.key.prepare`.
    exponent_bits : :class:`int` or ``None``
        Length of the exponent; that of the modulus if None.
    window : :class:`int`
        Bits of a digit of the exponent.
    both : bool
        Conversions are those of :func:`decrypt_crt`: of as many digits, and in the end from both
        bases, to which the sum of the result and the modulus goes.
    """
    check_operand("message", message, key.modulus)
    bases = rns.bases
    bits = key.modulus.bit_length() if exponent_bits is None else exponent_bits
    check_operand("exponent", exponent, 1 << bits)
    c = rns.product(to_rns(rns, message, digits=(1 + both) * bases.n), key.square, key)
    m = power(rns, c, exponent, key, exponent_bits=window * digits_of(bits, window), window=window)
    unit = _unit(rns)
    m = rns.product(m, unit, key)
    if not both:
        digits = to_radix(rns, m.a, RadixConstants(bases.a, bases.r))
        return correct(from_words(digits, bases.r), key.modulus, 2)
    # m + N < 3N
    n = to_rns(rns, key.modulus)
    m = [*rns.each(bases.a, m.a, unit.a, n.a, unit.a), *rns.each(bases.b, m.b, unit.b, n.b, unit.b)]
    digits = to_radix(rns, m, RadixConstants(bases.a + bases.b, bases.r))
    return correct(from_words(digits, bases.r), key.modulus, 4)


def _unit(rns):
    """Return the residues of 1."""
    return Residues(*((1,) * rns.bases.n for _ in range(2)))


@dataclasses.dataclass(frozen=True)
class CrtKey:
    """What depends on the factors of the modulus alone.

    Attributes
    ----------
    p, q : :class:`~montgomery.cox_rower.key.Key`
    p_cube, q_cube : :class:`~montgomery.cox_rower.rns.Residues`
        Of B**3 modulo the factor, or of that plus the factor.
    p_residues, q_residues : :class:`~montgomery.cox_rower.rns.Residues`
        Of the factors.
    p_inverse, q_inverse : :class:`~montgomery.cox_rower.rns.Residues`
        Of that of p modulo q, and of q modulo p.
    """

    p: Key
    q: Key
    p_cube: Residues
    q_cube: Residues
    p_residues: Residues
    q_residues: Residues
    p_inverse: Residues
    q_inverse: Residues

    @property
    def modulus(self):
        return self.p.modulus * self.q.modulus


def prepare_crt(rns, p, q):
    """Return the :class:`CrtKey` of two factors: steps 1, 2, 4 and 5 of Figure 5.

    Raises
    ------
    TypeError, ValueError
        As :func:`~montgomery.cox_rower.key.prepare` does, or if the factors are not coprime.
    """
    keys = prepare(rns, p), prepare(rns, q)
    if (common := math.gcd(p, q)) > 1:
        raise ValueError(f"p and q must be coprime, but have the common factor {shown(common)}; "
                         f"choose other primes")
    cubes = (rns.product(key.square, key.square, key) for key in keys)
    return CrtKey(*keys, *cubes, to_rns(rns, p), to_rns(rns, q), to_rns(rns, pow(p, -1, q)),
                  to_rns(rns, pow(q, -1, p)))


def decrypt_crt(rns, key, message, exponent_p, exponent_q, *, exponent_bits=None, window=WINDOW):
    """Return ``message**d % key.modulus``: steps 3 and 5 to 12 of Figure 5.

    Step 3, the message modulo each factor, is no division, but the Montgomery product by 1. The
    message is below the product of both factors, and that is below an eighth of B times either, so
    that the result is below twice the factor; what brings that into the domain is B**3.

    Parameters
    ----------
    key : :class:`CrtKey`
        By :func:`prepare_crt`.
    exponent_p, exponent_q : :class:`int`
        d modulo p - 1 and q - 1.
    exponent_bits : :class:`int` or ``None``
        Length of both; that of each factor if None.
    window : :class:`int`
        Bits of a digit of the exponents.
    """
    check_operand("message", message, key.modulus)
    bases, parts = rns.bases, []
    residues = to_rns(rns, message, digits=2 * bases.n)
    for factor, cube, other_inverse, exponent in (
            (key.p, key.p_cube, key.q_inverse, exponent_p),
            (key.q, key.q_cube, key.p_inverse, exponent_q)):
        bits = factor.modulus.bit_length() if exponent_bits is None else exponent_bits
        check_operand("exponent", exponent, 1 << bits)
        c = rns.product(residues, _unit(rns), factor)
        c = rns.product(c, cube, factor)
        m = power(rns, c, exponent, factor, exponent_bits=window * digits_of(bits, window),
                  window=window)
        parts.append(rns.product(m, other_inverse, factor))
    t_p, t_q = parts
    # 9, 10: t_p q + t_q p < 4N, accumulated before it is reduced
    m = [*rns.each(bases.a, t_p.a, key.q_residues.a, t_q.a, key.p_residues.a),
         *rns.each(bases.b, t_p.b, key.q_residues.b, t_q.b, key.p_residues.b)]
    digits = to_radix(rns, m, RadixConstants(bases.a + bases.b, bases.r))
    return correct(from_words(digits, bases.r), key.modulus, 4)
