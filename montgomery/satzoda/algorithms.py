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

Of a word that is worked on a clock after the one below it, bits come late: bit 0 of its sum becomes
the top bit of the word below when the sum is halved, and carries out of a word belong to the word
above. Neither is there yet when the word is worked on.
"""

from typing import NamedTuple

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from ..blocks.carry_save import Resolver, full_adder, gate
from ..blocks.values import later

__all__ = ["PAPER", "Conventional", "Gated", "Optimized", "SumWord", "add_late_bit", "registers",
           "resolved", "two_words"]

PAPER = ("Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA "
         "Cryptosystems")


class Conventional:
    """Algorithm 1, MMM_CS: two full adders per bit, and two words of carries.

    In each iteration y is added if the next bit of x is 1, the modulus is added if the sum is odd
    then, and the sum is halved.
    """

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
    """Algorithm 2, MMM_OP: a full adder per bit, and B + N, which is the third of ``words``.

    In each iteration 0, y, the modulus or the sum of both is added, which makes the sum even, and
    the sum is halved.
    """

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
    """Algorithm 3, MMM_MX: a gated full adder per bit, used twice.

    An iteration is one of Algorithm 1 in two steps: y is added in the first one, and the modulus in
    the second one.
    """

    @staticmethod
    def algorithm(x, y, modulus, iterations):
        s = c = 0
        for index in range(iterations):
            s, c = full_adder(s, c, y if x >> index & 1 else 0)
            c <<= 1
            s, c = full_adder(s, c, modulus if s & 1 else 0)
            s >>= 1  # c has twice the weight of s: halving both leaves it where it is
        return s + c


def registers(name, count, width=1):
    """Return ``count`` registers of so many bits, which are called by ``name`` and their index."""
    return [Signal(width, name=f"{name}_{index}", reset_less=True) for index in range(count)]


class SumWord(NamedTuple):
    """A word of the sum that an iteration of MMM_CS or MMM_OP leaves."""

    #: The sum, not yet halved.
    u: Value
    #: The carry of the late bits, which stands beside the top bit of ``u``.
    late_carry: Value
    #: Words of carries, of the weight of the half.
    carries: list[Value]

    @classmethod
    def registers(cls, width, carries, name):
        """Return the registers for a word of ``width`` bits, which are called by ``name``."""
        return cls(Signal(width, name=f"u_{name}", reset_less=True),
                   Signal(name=f"late_carry_{name}", reset_less=True),
                   [Signal(width, name=f"carry{index}_{name}", reset_less=True)
                    for index in range(carries)])

    @classmethod
    def zero(cls, width, carries):
        """Return the word before the first iteration."""
        return cls(Const(0, width), Const(0, 1), [Const(0, width)] * carries)

    def halved(self, late):
        """Return half of ``u``, and the carry of the late bits.

        ``late`` is the bit that ``u`` should have got when it was made, beside the top bit of ``u``
        now. The top bit of the half is 0: it comes late in its turn.
        """
        s, carry = full_adder(self.u[-1], late, self.late_carry)
        return Cat(self.u[1:-1], s, Const(0, 1)), carry

    def take(self, m, late_carry, added):
        """Assign a carry and what an algorithm's ``add`` returned; return the q of that."""
        u, carries, q_next = added
        m.d.sync += [self.u.eq(u), self.late_carry.eq(late_carry)]
        m.d.sync += [register.eq(carry)
                     for register, carry in zip(self.carries, carries, strict=True)]
        return q_next


def add_late_bit(s, c, late):
    """Return a sum, its carries and the carry above, with ``late`` added at the top."""
    return (Cat(s[:-1], s[-1] ^ late), Cat(c[:-1], c[-1] | (s[-1] & late)),
            s[-1] & c[-1] & late)


def resolved(m, first, s, c):
    """Return words of s / 2 + c in binary, a clock after ``s`` and those of a resolver later.

    ``first`` is high with the first word of the sum and of its carries, which have the weight of
    the half.
    """
    m.submodules.resolver = resolver = Resolver(len(s))
    m.d.comb += [resolver.first.eq(first), resolver.s.eq(Cat(later(m, s[1:], 1, "s_high"), s[0])),
                 resolver.c.eq(later(m, c, 1, "c_late"))]
    return resolver.word


def two_words(m, name, word, late, above, *, spilled, spills):
    """Return two words with the sum of all words in a :class:`SumWord`, some clocks later.

    That takes a clock, and one for each word of carries. ``late`` is as of :meth:`SumWord.halved`,
    and ``above`` bit 0 of ``u`` of the word above, a clock later. For each word of carries
    ``spilled`` has the bit that the word below has spilled, and ``spills`` gets the one of this
    word.
    """
    def register(value, what):
        return later(m, value, 1, f"{name}_{what}")

    # Wait for the bit of the word above, and put the two late bits where there is room.
    waiting = SumWord(Cat(Const(0, 1), register(word.u[1:], "u")),
                      register(word.late_carry, "late_carry"),
                      [register(carry, f"carry{index}")
                       for index, carry in enumerate(word.carries)])
    half, extra = waiting.halved(register(late, "late"))
    vectors = [Cat(half[:-1], above), *waiting.carries, Cat(Const(0, len(word.u) - 1), extra)]
    for level, (below, spill) in enumerate(zip(spilled, spills, strict=True)):
        s, c = full_adder(*vectors[:3])
        m.d.sync += spill.eq(c[-1])
        vectors = [register(s, f"s{level}"), register(Cat(below, c[:-1]), f"c{level}"),
                   *(register(vector, f"rest{level}") for vector in vectors[3:])]
    return vectors
