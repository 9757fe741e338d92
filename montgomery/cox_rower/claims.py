"""What the blocks of this architecture do, to be proved."""

from amaranth.hdl import Cat, Mux, ResetSignal, Signal

from ..claim import Claim
from .divider import Divider

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


CLAIMS = [
    Claim(text="the remainder of one division", create=Divider, check=_divider,
          sizes=({"width": 2, "words": 2},)),
]
