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

    Parameters
    ----------
    width : :class:`int`
        Bits a word.

    Members
    -------
    first : :py:`In(1)`
        Is high in the clock before the lowest word.
    s, c : :py:`In(width)`
        Word of the sum and of the carries, of equal weight.
    word : :py:`Out(width)`
        Word of ``s + c``, one clock later.
    """

    def __init__(self, width):
        self.width = width
        super().__init__({"first": In(1), "s": In(width), "c": In(width), "word": Out(width)})

    def elaborate(self, platform):
        m = Module()
        word = Signal(self.width, reset_less=True)
        carry = Signal(reset_less=True)
        m.d.sync += Cat(word, carry).eq(self.s + self.c + carry)
        with m.If(self.first):
            m.d.sync += carry.eq(0)
        m.d.comb += self.word.eq(word)
        return m
