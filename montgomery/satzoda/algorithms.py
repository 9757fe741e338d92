"""The algorithms of Satzoda, Chang and Jong on integers, step by step.

They return the sum of the words that the paper's return, which is the same in one dimension and in
two.
"""

from ..blocks.carry_save import full_adder

__all__ = ["PAPER", "mmm_cs", "mmm_mx", "mmm_op"]

PAPER = ("Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA "
         "Cryptosystems")


def mmm_cs(x, y, modulus, iterations):
    """Return the result of Algorithm 1."""
    s = c1 = c2 = 0
    for index in range(iterations):
        addend = y if x >> index & 1 else 0
        q = (s ^ c1 ^ c2 ^ addend) & 1
        t, c1 = full_adder(addend, c1, c2)
        s, c2 = full_adder(modulus if q else 0, s, t)
        s >>= 1  # the carries have twice the weight of s: halving leaves them where they are
    return s + c1 + c2


def mmm_op(x, y, modulus, iterations):
    """Return the result of Algorithm 2."""
    both = y + modulus
    s = c = 0
    for index in range(iterations):
        a = x >> index & 1
        q = (s ^ c ^ (y if a else 0)) & 1
        s, c = full_adder(s, c, ((0, modulus), (y, both))[a][q])
        s >>= 1  # c has twice the weight of s: halving both leaves it where it is
    return s + c


def mmm_mx(x, y, modulus, iterations):
    """Return the result of Algorithm 3."""
    s = c = 0
    for index in range(iterations):
        s, c = full_adder(s, c, y if x >> index & 1 else 0)
        c <<= 1
        s, c = full_adder(s, c, modulus if s & 1 else 0)
        s >>= 1  # c has twice the weight of s: halving both leaves it where it is
    return s + c
