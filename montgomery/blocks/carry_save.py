"""Bitwise carry-save arithmetic on whole words.

All functions take and return Amaranth values of one width; a carry stands at the index of the bit
that produced it and has twice that bit's weight.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Resolver", "full_adder", "gate", "half_adder"]


def gate(bit, word):
    """Return ``word`` where ``bit`` is 1, else 0."""
    return word & bit.replicate(len(word))


def half_adder(a, b):
    """Return sum and carry of two words."""
    return a ^ b, a & b


def full_adder(a, b, c):
    """Return sum and carry of three words."""
    return a ^ b ^ c, (a & b) | (a & c) | (b & c)


class Resolver(wiring.Component):
    """Turns a number in carry-save form into binary, one word a clock, lowest word first.

    A carry chain over a whole word would be the longest path of a fast multiplier. So a word is
    added in chunks without the carries between them, the carries are found from what each chunk
    generates and propagates, and are added last; only a single gate is in the loop from word to
    word.

    Parameters
    ----------
    width : :class:`int`
        Bits a word.

    Attributes
    ----------
    latency : :class:`int`
        Clocks from ``s`` and ``c`` to ``word``.

    Members
    -------
    first : :py:`In(1)`
        Is high in the clock before the one of the lowest word.
    s, c : :py:`In(width)`
        Word of the sum and of the carries, of equal weight.
    word : :py:`Out(width)`
        Word of ``s + c``.
    """

    #: Bits of the longest carry chain.
    CHUNK = 8

    def __init__(self, width):
        self.width = width
        self.latency = self.latency_of(width)
        super().__init__({"first": In(1), "s": In(width), "c": In(width), "word": Out(width)})

    @classmethod
    def latency_of(cls, width):
        """Return :attr:`latency` of a resolver of ``width`` bits."""
        return 1 if width <= cls.CHUNK else 4

    def elaborate(self, platform):
        m = Module()
        if self.latency == 1:
            word = Signal(self.width, reset_less=True)
            carry = Signal(reset_less=True)
            m.d.sync += Cat(word, carry).eq(self.s + self.c + carry)
            with m.If(self.first):
                m.d.sync += carry.eq(0)
            m.d.comb += self.word.eq(word)
            return m

        slices = [slice(start, min(start + self.CHUNK, self.width))
                  for start in range(0, self.width, self.CHUNK)]
        # Clock 1: each chunk alone; whether it generates a carry, or would pass one on.
        sums, generates, propagates = [], [], []
        for bits in slices:
            s, c = self.s[bits], self.c[bits]
            partial = Signal(len(s), reset_less=True)
            generate, propagate = Signal(reset_less=True), Signal(reset_less=True)
            m.d.sync += [Cat(partial, generate).eq(s + c), propagate.eq((s ^ c).all())]
            sums.append(partial)
            generates.append(generate)
            propagates.append(propagate)
        # Clock 2: the same for all chunks below and including each.
        group_g, group_p = generates[0], propagates[0]
        prefixes = []
        for index in range(len(slices)):
            if index:
                group_g = generates[index] | (propagates[index] & group_g)
                group_p = propagates[index] & group_p
            prefix = Signal(2, name=f"prefix_{index}", reset_less=True)
            m.d.sync += prefix.eq(Cat(group_g, group_p))
            prefixes.append(prefix)
        # Clock 3: the carry into each chunk, from the one into the word.
        carry = Signal(reset_less=True)
        carries = Signal(len(slices), reset_less=True)
        out = [prefix[0] | (prefix[1] & carry) for prefix in prefixes]
        m.d.sync += [carry.eq(out[-1]), carries.eq(Cat(carry, *out[:-1]))]
        starting = Signal(2)
        m.d.sync += starting.eq(Cat(self.first, starting))
        with m.If(starting[1]):
            m.d.sync += carry.eq(0)
        # Clock 4: sums and carries.
        for index, (bits, partial) in enumerate(zip(slices, sums, strict=True)):
            for _ in range(2):
                late = Signal.like(partial, reset_less=True)
                m.d.sync += late.eq(partial)
                partial = late
            word = Signal(len(partial), reset_less=True)
            m.d.sync += word.eq(partial + carries[index])
            m.d.comb += self.word[bits].eq(word)
        return m
