"""What the blocks of this architecture do, to be proved."""

from amaranth.hdl import Array, Cat, Mux, ResetSignal, Signal

from montgomery.blocks.values import later
from montgomery.cox_rower.divider import Divider, LookAhead

from ..claim import Claim

__all__ = ["CLAIMS"]


def _divider(m, block):
    """Collect the words of a division of the longest divisors, and compare with the remainder."""
    r, words = block.width, block.words
    longest = words + 1  # words of the dividend
    divisor, dividend = Signal(r * words, name="whole_divisor"), Signal(r * longest, name="whole")
    taken = Signal(range(2 + words + longest + 1), name="taken")
    given = Signal(range(words + 1), name="given")
    takes = block.i.valid & block.i.ready
    gives = block.o.valid & block.o.ready
    with m.If(takes):
        m.d.sync += taken.eq(taken + 1)
        with m.If((taken >= 2) & (taken < 2 + words)):
            m.d.sync += divisor.eq(Cat(divisor, block.i.payload)[r:])
        with m.If(taken >= 2 + words):
            m.d.sync += dividend.eq(Cat(block.i.payload, dividend))
    with m.If(gives):
        m.d.sync += given.eq(given + 1)
    header = Mux(taken == 0, words - 1, longest - words + 1)
    wrong = block.i.valid & (((taken < 2) & (block.i.payload != header))
                             | ((taken == 1 + words) & (block.i.payload == 0))
                             | (taken == 2 + words + longest))
    # The upper words are a number below the divisor: they are fewer.
    rest = Signal(r * words, name="rest")
    m.d.comb += rest.eq(dividend % divisor)
    expected = rest.word_select(given, r)
    return {"word": block.o.valid & (block.o.payload != expected),
            "early": block.o.valid & (taken != 2 + words + longest),
            "unless": wrong | ResetSignal()}


def _look_ahead(m, block):
    words = Array(Signal(block.width, name=f"word_{index}", reset_less=True)
                  for index in range(block.depth))
    address = later(m, block.next, 1, "address")
    with m.If(block.write):
        m.d.sync += words[block.target].eq(block.value)
    # What it has at first is at no address.
    known = Signal(name="known", reset_less=True)
    m.d.sync += known.eq(1)
    legal = (block.next < block.depth) & (block.target < block.depth)
    return {"word": known & (block.data != words[address]), "unless": ~legal}


CLAIMS = [
    Claim(text="the remainder of one division", create=Divider, check=_divider,
          sizes=({"width": 2, "words": 2},)),
    Claim(text="the word at the address", create=LookAhead, check=_look_ahead,
          sizes=({"width": 2, "depth": 3}, {"width": 4, "depth": 8})),
]
