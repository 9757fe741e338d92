"""Operands for the comparison of a core with its model."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections.abc import Iterator

from montgomery import CoreParameters, Parameters

__all__ = ["Vector", "edge_vectors", "every_modulus", "every_vector", "exponentiation",
           "random_factors", "random_vectors", "whole_operation"]

#: The inputs of an operation, as its core names them: two operands and the modulus, or base,
#: exponent and modulus, or a message, two exponents and the factors of a modulus.
Vector = tuple[int, ...]

#: Longest random exponent.
_EXPONENT_BITS = 6


def edge_vectors(params: CoreParameters) -> list[Vector]:
    """Return the operands most likely to go wrong, or to take another number of clocks.

    The smallest and the largest operands of the smallest modulus, of one of all ones and of one
    with but two ones; of a multiplier, operands whose bits alternate; of an exponentiator, short
    exponents, one that is longer than a word and has few ones or many, and a power of a modulus
    with a square factor that is 0; of a decryption the like, with factors of the same length and of
    different ones, and messages that one of them divides.
    """
    edges = {"multiplier": _edges_of_products, "exponentiator": _edges_of_powers,
             "decryption": _edges_of_decryptions}
    return edges[params.kind](params)


def _edges_of_products(params: CoreParameters) -> list[Vector]:
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


def _long(params: CoreParameters) -> int:
    """Return the length of an exponent that takes more than a word, but no long time."""
    return min(params.longest_exponent, params.i_width + 1, 4 * _EXPONENT_BITS)


def _edges_of_powers(params: CoreParameters) -> list[Vector]:
    width = params.width
    top = params.usable_modulus((1 << width) - 1)
    vectors = [(0, 0, 3), (2, 1, 3), (3, 2, 9)]
    for modulus in (top, params.usable_modulus((1 << (width - 1)) + 1)):
        vectors += [(0, 2, modulus), (1, 1, modulus), (modulus - 1, 3, modulus)]
    bits = _long(params)
    return [*vectors, (2, 1 << (bits - 1), top), (top - 2, (1 << bits) - 1, top), (top - 1, 0, top)]


def _edges_of_decryptions(params: CoreParameters) -> list[Vector]:
    *_, p, q = params.longest
    small, short = (next(factor for factor in range(3, p, 2)
                         if math.gcd(factor, params.avoided * other) == 1) for other in (3, p))
    bits = _long(params)
    high, ones = 1 << (bits - 1), (1 << bits) - 1
    return [(0, 0, 0, 3, small), (3 * small - 1, 1, 2, small, 3), (p * short - 2, 3, 2, p, short),
            (q, 2, 1, p, q), (q * (p - 1), 1, 3, q, p), (p * q - 2, ones, 1, p, q),
            (2, high, high, p, q), (p * q - 1, 0, ones, p, q)]


def random_vectors(params: CoreParameters, count: int, seed: int) -> list[Vector]:
    """Return ``count`` random operands; moduli of full length, now and then a shorter one.

    Exponents are short.
    """
    rng = random.Random(f"{params!r} {seed}")
    draw = _random_decryption if params.kind == "decryption" else _random_vector
    return [draw(params, rng, shorter=index % 4 == 3) for index in range(count)]


def _random_vector(params: CoreParameters, rng: random.Random, *, shorter: bool) -> Vector:
    bits = rng.randint(2, params.width) if shorter else params.width
    modulus = params.usable_modulus(rng.getrandbits(bits) | (1 << (bits - 1)) | 1)
    if params.kind == "exponentiator":
        bits = rng.randint(1, min(_EXPONENT_BITS, params.width))
        return rng.randrange(modulus), rng.getrandbits(bits), modulus
    bound = params.bound(modulus)
    return rng.randrange(bound), rng.randrange(bound), modulus


def _random_decryption(params: CoreParameters, rng: random.Random, *, shorter: bool) -> Vector:
    p, q = random_factors(params, rng, shorter=shorter)
    bits = rng.randint(1, min(_EXPONENT_BITS, params.longest_exponent))
    return rng.randrange(p * q), rng.getrandbits(bits), rng.getrandbits(bits), p, q


def random_factors(params: CoreParameters, rng: random.Random, *,
                   shorter: bool = False) -> tuple[int, int]:
    """Return odd p and q that a core works with, coprime, but hardly ever primes.

    Parameters
    ----------
    shorter : bool
        Of any lengths, rather than those of which a modulus of full length is the product.
    """
    widths = params.factor_width, params.width - params.factor_width
    while True:
        lengths = [rng.randint(2, bits) if shorter else bits for bits in widths]
        p, q = (rng.getrandbits(bits) | (1 << (bits - 1)) | 1 for bits in lengths)
        with contextlib.suppress(ValueError):  # too short for one more
            p = params.usable_factor(p)
            return p, params.usable_factor(q, other=p)


def whole_operation(params: CoreParameters, rng: random.Random) -> Vector:
    """Return random inputs of full length of an operation that exponentiates.

    Of a multiplier those of an exponentiation.
    """
    if params.kind == "decryption":
        p, q = random_factors(params, rng)
        bits = params.longest_exponent
        exponents = [rng.getrandbits(bits) | (1 << (bits - 1)) for _ in range(2)]
        return rng.randrange(p * q), *exponents, p, q
    top = 1 << (params.width - 1)
    modulus = params.usable_modulus(rng.getrandbits(params.width) | top | 1)
    return rng.randrange(modulus), rng.getrandbits(params.width) | top, modulus


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
