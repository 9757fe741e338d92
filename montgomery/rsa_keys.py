"""Keys of RSA to try a core with: some at random, and the longest one."""

import functools
import math

from .arithmetic import is_prime
from .core import ceil_div

__all__ = ["largest_key", "lengthened", "random_key"]

#: Public exponents in use, the longest one first; 3 and 5 are, and smaller factors need 1.
_PUBLIC = (65537, 257, 17, 5, 3, 1)


def lengthened(exponent, order, bits):
    """Return the largest number of no more than some bits that is an exponent modulo ``order``."""
    return exponent + max((1 << bits) - 1 - exponent, 0) // order * order


def _public_exponents(p, q):
    """Return those of :data:`_PUBLIC` that go with two primes."""
    both = math.lcm(p - 1, q - 1)
    return [e for e in _PUBLIC if e < max(both, 2) and math.gcd(e, both) == 1]


def random_key(rng, widths, *, avoided, shorter=False):
    """Return p, q, and the exponents for both, of a key with one of :data:`_PUBLIC`.

    Parameters
    ----------
    rng : :class:`random.Random`
    widths : iterable of :class:`int`
        Bits of p and of q.
    avoided : :class:`int`
        p and q have no factor in common with it.
    shorter : :class:`bool`
        Of any lengths up to these.
    """
    while True:
        lengths = [rng.randint(2, bits) if shorter else bits for bits in widths]
        p, q = (next(each for each in iter(
            lambda bits=bits: rng.getrandbits(bits) | (1 << (bits - 1)) | 1, 0)
            if is_prime(each)) for bits in lengths)
        if p == q or math.gcd(p * q, avoided) > 1:
            continue
        if usable := _public_exponents(p, q):
            e = rng.choice(usable)
            return p, q, pow(e, -1, p - 1), pow(e, -1, q - 1)


@functools.cache
def largest_key(width, avoided):
    """Return p, q and exponents of the largest key whose exponents are as long as they can be."""
    factor_width = ceil_div(width, 2)

    def primes(below):
        candidates = range(below - 1 - below % 2, 2, -2)
        return (each for each in candidates if math.gcd(each, avoided) == 1 and is_prime(each))

    for p in primes(1 << factor_width):
        for q in primes(min(p, ((1 << width) - 1) // p + 1)):
            usable = _public_exponents(p, q)
            exponents = []
            for factor in (p, q) if usable else ():
                least = pow(usable[0], -1, factor - 1)
                more = ((1 << factor_width) - 1 - least) // (factor - 1)
                exponents.append(least + more * (factor - 1))
            if exponents and max(exponents).bit_length() == factor_width:
                return p, q, *exponents
    raise ValueError(f"No key of {width} bits has factors without one in common with {avoided}")
