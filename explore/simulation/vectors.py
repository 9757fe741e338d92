"""Operands for the comparison of a core with its model."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from montgomery import CoreParameters, Parameters

__all__ = ["Vector", "edge_vectors", "every_modulus", "every_vector", "exponentiation",
           "random_vectors"]

#: Two operands and the modulus, or base, exponent and modulus.
Vector = tuple[int, int, int]

#: Longest random exponent.
_EXPONENT_BITS = 6


def edge_vectors(params: CoreParameters) -> list[Vector]:
    """Return the operands most likely to go wrong, or to take another number of clocks.

    The smallest and the largest operands of the smallest modulus, of one of all ones and of one
    with but two ones; of a multiplier, operands whose bits alternate; of an exponentiator, short
    exponents, one that is longer than a word and has few ones or many, and a power of a modulus
    with a square factor that is 0.
    """
    if params.kind == "exponentiator":
        return _edges_of_powers(params)
    width = params.width
    vectors = []
    for modulus in map(params.usable_modulus, (3, (1 << width) - 1, (1 << (width - 1)) + 1)):
        top = params.bound(modulus) - 1
        vectors += [(0, 0, modulus), (1, top, modulus), (modulus - 1, modulus - 1, modulus),
                    (top, top, modulus)]
    modulus = params.usable_modulus((1 << width) - 1)
    odd, even = modulus // 3, modulus - modulus // 3
    vectors += [(odd, even, modulus), (even, odd, modulus), (top, 0, vectors[-1][2])]
    return vectors


def _edges_of_powers(params: CoreParameters) -> list[Vector]:
    width = params.width
    top = params.usable_modulus((1 << width) - 1)
    vectors = [(0, 0, 3), (2, 1, 3), (3, 2, 9)]
    for modulus in (top, params.usable_modulus((1 << (width - 1)) + 1)):
        vectors += [(0, 2, modulus), (1, 1, modulus), (modulus - 1, 3, modulus)]
    bits = min(width, params.i_width + 1, 4 * _EXPONENT_BITS)
    return [*vectors, (2, 1 << (bits - 1), top), (top - 2, (1 << bits) - 1, top), (top - 1, 0, top)]


def random_vectors(params: CoreParameters, count: int, seed: int) -> list[Vector]:
    """Return ``count`` random operands; moduli of full length, now and then a shorter one.

    Exponents are short.
    """
    rng = random.Random(f"{params!r} {seed}")
    vectors = []
    for index in range(count):
        bits = rng.randint(2, params.width) if index % 4 == 3 else params.width
        modulus = params.usable_modulus(rng.getrandbits(bits) | (1 << (bits - 1)) | 1)
        if params.kind == "exponentiator":
            bits = rng.randint(1, min(_EXPONENT_BITS, params.width))
            vectors.append((rng.randrange(modulus), rng.getrandbits(bits), modulus))
        else:
            bound = params.bound(modulus)
            vectors.append((rng.randrange(bound), rng.randrange(bound), modulus))
    return vectors


def every_modulus(params: Parameters) -> list[int]:
    """Return all moduli of a core, in rising order."""
    return [modulus for modulus in range(3, 1 << params.width, 2)
            if params.usable_modulus(modulus) == modulus]


def every_vector(params: Parameters, modulus: int) -> Iterator[Vector]:
    """Yield all operands of one modulus."""
    operands = range(params.bound(modulus))
    return ((x, y, modulus) for x, y in itertools.product(operands, operands))


def exponentiation(params: Parameters, base: int, exponent: int,
                   modulus: int) -> tuple[list[Vector], int]:
    """Return the multiplications of an exponentiation by squaring, and its result.

    From left to right, as a processor around one multiplier would do them, each depending on the
    one before: into the Montgomery domain, a square for each bit and a product for each one, and
    out of it.

    Parameters
    ----------
    base, exponent : int
        Not negative; the base below the modulus.

    Returns
    -------
    vectors : list of (x, y, modulus)
    result : int
        ``base ** exponent % modulus``, computed by :meth:`montgomery.Parameters.compute` alone.

    Raises
    ------
    ValueError
        If the base or the exponent is out of range, or the modulus not one of the core's.
    """
    if exponent < 0:
        raise ValueError(f"Exponent must be 0 or more, not {exponent}")
    if not 0 <= base < modulus:
        raise ValueError(f"Base must be below the modulus, {modulus}, not {base}; reduce it first")
    vectors: list[Vector] = []

    def product(x: int, y: int) -> int:
        vectors.append((x, y, modulus))
        return params.compute(x, y, modulus)

    square_of_r = params.r * params.r % modulus
    power = product(1, square_of_r)
    base = product(base, square_of_r)
    for bit in f"{exponent:b}":
        power = product(power, power)
        if bit == "1":
            power = product(power, base)
    return vectors, product(power, 1) % modulus
