"""The algorithms of Satzoda, Chang and Jong: on integers step by step, and an iteration on words.

``algorithm`` returns the sum of the words that the paper's returns, which is the same in one
dimension and in two.

``add`` is what an iteration of MMM_CS or MMM_OP adds in one clock:

=========== =======================================================================================
a, q        y is added; the modulus is added
words       words of B, of N, and of what the core prepares besides
s, carries  the halved sum of the iteration before, and its carries, of the weight of ``s``
=========== =======================================================================================

It returns the sum, not yet halved, of which the lowest bit is 0; a list of its carries, at the bits
that produced them; and ``q_next``: for the lowest word, bit 0 of the next iteration's sum without
its a B.
"""

from amaranth.hdl import Mux

from ..blocks.carry_save import full_adder, gate

__all__ = ["PAPER", "Conventional", "Gated", "Optimized"]

PAPER = ("Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA "
         "Cryptosystems")


class Conventional:
    """Algorithm 1, MMM_CS: two full adders per bit."""

    carries = 2

    @staticmethod
    def algorithm(x, y, modulus, iterations):
        s = c1 = c2 = 0
        for index in range(iterations):
            addend = y if x >> index & 1 else 0
            q = (s ^ c1 ^ c2 ^ addend) & 1
            t, c1 = full_adder(addend, c1, c2)
            s, c2 = full_adder(modulus if q else 0, s, t)
            s >>= 1  # the carries have twice the weight of s: halving leaves them where they are
        return s + c1 + c2

    @staticmethod
    def add(a, q, words, s, carries):
        # No adder waits for another one's carry.
        b, n = words
        t, c1 = full_adder(gate(a, b), *carries)
        u, c2 = full_adder(gate(q, n), s, t)
        # q makes bit 0 even, so its carry is that of s and t with either of them.
        return u, [c1, c2], u[1] ^ c1[0] ^ (s[0] | t[0])


class Optimized:
    """Algorithm 2, MMM_OP: a full adder per bit, and B + N, which is the third of ``words``."""

    carries = 1

    @staticmethod
    def algorithm(x, y, modulus, iterations):
        both = y + modulus
        s = c = 0
        for index in range(iterations):
            a = x >> index & 1
            q = (s ^ c ^ (y if a else 0)) & 1
            s, c = full_adder(s, c, ((0, modulus), (y, both))[a][q])
            s >>= 1  # c has twice the weight of s: halving both leaves it where it is
        return s + c

    @staticmethod
    def add(a, q, words, s, carries):
        b, n, both = words
        addend = Mux(a, Mux(q, both, b), Mux(q, n, 0))
        u, c = full_adder(addend, s, carries[0])
        # q makes bit 0 even, so its carry is that of s and c with either of them.
        return u, [c], u[1] ^ (s[0] | carries[0][0])


class Gated:
    """Algorithm 3, MMM_MX: a gated full adder per bit, used twice."""

    @staticmethod
    def algorithm(x, y, modulus, iterations):
        s = c = 0
        for index in range(iterations):
            s, c = full_adder(s, c, y if x >> index & 1 else 0)
            c <<= 1
            s, c = full_adder(s, c, modulus if s & 1 else 0)
            s >>= 1  # c has twice the weight of s: halving both leaves it where it is
        return s + c
