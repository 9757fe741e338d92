"""Bitwise carry-save arithmetic on whole words.

All functions take and return Amaranth values of one width; a carry stands at the index of the bit
that produced it and has twice that bit's weight.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Resolver", "full_adder", "gate", "incremented"]


def gate(bit, word):
    """Return ``word`` where ``bit`` is 1, else 0."""
    return word & bit.replicate(len(word))


def full_adder(a, b, c):
    """Return sum and carry of three words."""
    return a ^ b ^ c, (a & b) | (a & c) | (b & c)


def incremented(number):
    """Return ``number + 1`` in its width, without a carry chain, which is slow to enter and leave:
    for up to six bits or so.
    """
    return Cat(number[bit] ^ number[:bit].all() for bit in range(len(number)))


class Resolver(wiring.Component):
    """Turns a number in carry-save form into binary, one word per clock, lowest word first.

    A carry chain over a whole word would be the longest path of a fast multiplier. So a word is
    added in chunks without the carries between them, the carries are found from what each chunk
    generates and propagates, and are added last.

    Latency: :attr:`latency` clocks from ``s`` and ``c`` to ``word``. Throughput: a word per clock.
    """

    #: Bits of the longest carry chain.
    CHUNK = 8

    def __init__(self, width):
        self.width = width
        self.latency = self.latency_of(width)
        super().__init__({
            "first": In(1),  # is high in the clock before the one of the lowest word
            "s": In(width), "c": In(width),  # word of the sum and of the carries, of equal weight
            "word": Out(width),  # word of ``s + c``
        })

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
        carry = Signal(reset_less=True)  # into the word
        into = [carry]  # each chunk
        sums = []
        for bits in slices:
            # Clock 1: each chunk alone. Clock 2: does it generate a carry, or pass one on?
            partial = Signal(bits.stop - bits.start, reset_less=True)
            overflow = Signal(reset_less=True)
            generates = Signal(reset_less=True)
            propagates = Signal(reset_less=True)
            m.d.sync += [Cat(partial, overflow).eq(self.s[bits] + self.c[bits]),
                         generates.eq(overflow), propagates.eq(partial.all())]
            sums.append(partial)
            into.append(generates | (propagates & into[-1]))
        # Clock 3: the carry into each chunk, and into the next word.
        carries = Signal(len(slices), reset_less=True)
        m.d.sync += Cat(carries, carry).eq(Cat(*into))
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
