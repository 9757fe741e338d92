"""Integers: what cores take, and what else their models need of them."""

import math

__all__ = ["check_coprime", "check_integer", "check_modulus", "check_operand", "coprime_below",
           "divided", "division_steps", "is_prime", "negated_inverse", "shown"]

#: Bases for which no composite below 3.3 * 10**24 passes the test; longer ones are not chosen here
#: by an adversary, and pass it with a probability far below 2**-80.
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


def is_prime(number: int) -> bool:
    """Return whether a number is a prime, by the test of Miller and Rabin."""
    if number < 2:
        return False
    for base in _BASES:
        if number % base == 0:
            return number == base
    twos = (number - 1 & 1 - number).bit_length() - 1
    odd = number - 1 >> twos
    for base in _BASES:
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def coprime_below(number: int, other: int) -> int:
    """Return the largest number up to an odd one that is odd, at least 3 and coprime to another.

    :exc:`ValueError` says that there is none.
    """
    for candidate in range(number, 1, -2):
        if math.gcd(candidate, other) == 1:
            return candidate
    raise ValueError(f"No odd number from 3 to {shown(number)} is coprime to {shown(other)}; take "
                     "a larger one")


def shown(number: int) -> str:
    """Return an integer for a message: in decimal, or its length if it is a long one.

    A long number may be secret, and tells nobody anything.
    """
    bits = number.bit_length()
    if bits <= 64:
        return str(number)
    return f"a {'negative ' if number < 0 else ''}number of {bits} bits"


def check_modulus(modulus: int, *, width: int | None = None, coprime_to: int = 1) -> None:
    """Refuse a modulus that Montgomery's algorithm cannot use.

    :exc:`TypeError` if it is not an integer; :exc:`ValueError` if it is even, below 3, not below
    ``2**width``, or not coprime to ``coprime_to``.
    """
    check_integer("The modulus", modulus)
    if modulus < 3:
        raise ValueError(f"The modulus must be 3 or larger, not {shown(modulus)}; the smallest "
                         f"modulus is 3")
    if modulus % 2 == 0:
        raise ValueError(f"The modulus must be odd, not {shown(modulus)}; Montgomery's method "
                         f"needs an odd one: take the odd part of this one, and join the result "
                         f"with that modulo the power of two, as docs/amaranth.md shows")
    if width is not None and modulus >> width:
        bits = modulus.bit_length()
        raise ValueError(f"The modulus must have {width} bits or fewer, not {bits}; choose width "
                         f"{bits}")
    check_coprime("modulus", modulus, coprime_to)


def check_coprime(name: str, number: int, constant: int) -> None:
    """Refuse a number that has a factor in common with a constant of a core."""
    if (common := math.gcd(number, constant)) > 1:
        raise ValueError(f"The {name} must be coprime to a constant of the core, but both have the "
                         f"factor {shown(common)}; choose another {name}, or another word width")


def check_operand(name: str, value: int, bound: int) -> None:
    """Refuse an operand outside ``range(bound)``.

    :exc:`TypeError` if it is not an integer, :exc:`ValueError` if it is out of range.
    """
    check_integer(f"Operand {name}", value)
    if not 0 <= value < bound:
        raise ValueError(f"Operand {name} must be from 0 to {shown(bound - 1)}, not "
                         f"{shown(value)}; reduce it modulo the modulus first")


def negated_inverse(modulus: int, base: int) -> int:
    """Return ``n' = -modulus**-1 mod base``, the constant of word-wise Montgomery reduction."""
    return -pow(modulus, -1, base) % base


def check_integer(label: str, value: int) -> None:
    """Refuse what is no integer by :exc:`TypeError`; a truth value is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{label} must be an integer, not {value!r}")


def division_steps(bits: float) -> int:
    """Return how many division steps, of which the first has a delta of 1/2, end with g = 0, for f
    and g of so many bits that are not negative.

    Source: Wuille, Maxwell: Bounds on divsteps iterations in safegcd, generic formula for
    hddivsteps.
    """
    return int((45907 * bits + 30179) // 19929)


def divided(x: int, modulus: int, steps: int) -> tuple[int, int]:
    """Return f and d after so many division steps, for f = d x and g = e x modulo a modulus.

    At first f is the modulus, and g is x. Where g is 0 in the end, f is 1 or -1 if there is an
    inverse of x; d is between minus the modulus and that.
    """
    delta, f, g, d, e = 0, modulus, x, 0, 1  # delta is half below what it is in the paper
    for _ in range(steps):
        odd, multiple = g & 1, modulus if e < 0 else -modulus
        if odd and delta >= 0:
            delta, f, d, g, e = -delta, g, e, g - f, e - d
        else:
            delta, g, e = 1 + delta, g + odd * f, e + odd * d
        # The multiple keeps e between -m and m, since its sign is not that of e before.
        g, e = g >> 1, (e + (e & 1) * multiple) >> 1
    return f, d
