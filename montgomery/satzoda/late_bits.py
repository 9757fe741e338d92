"""Bits that come late, from a word that is worked on a clock after the one below it.

Bit 0 of a word's sum becomes the top bit of the word below when the sum is halved, and carries out
of a word belong to the word above. Neither is there yet when the word is worked on.
"""

from amaranth.hdl import Cat, Const

from ..blocks.carry_save import full_adder
from ..blocks.delay import later

__all__ = ["add_late_bit", "halved", "two_words"]


def halved(u, late, late_carry):
    """Return half of a word's sum, and the carry of its late bits.

    ``late`` is the bit that the word should have got an iteration before. Now it stands a bit
    further down, beside the top bit of ``u``, and so does ``late_carry``, the carry that this
    returned for the iteration before. The top bit of the half is 0; it comes late.
    """
    s, carry = full_adder(u[-1], late, late_carry)
    return Cat(u[1:-1], s, Const(0, 1)), carry


def add_late_bit(s, c, late):
    """Return a word's sum and carries, and the carry above these, with ``late`` added at the top.
    """
    return (Cat(s[:-1], s[-1] ^ late), Cat(c[:-1], c[-1] | (s[-1] & late)),
            s[-1] & c[-1] & late)


def two_words(m, name, u, above, carries, late, late_carry, *, spilled, spills):
    """Return two words with the sum of a word and its carries, ``1 + len(carries)`` clocks later.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
    name : :class:`str`
        The registers are called by it.
    u : :class:`~amaranth.hdl.Value`
        The sum, which is to be halved.
    above : :class:`~amaranth.hdl.Value`
        Bit 0 of the word above it, a clock later.
    carries : list of :class:`~amaranth.hdl.Value`
        Words of carries, of the weight of the half.
    late, late_carry : :class:`~amaranth.hdl.Value`
        See :func:`halved`.
    spilled : list of value-like
        For each word of carries, the bit that was spilled by the word below.
    spills : list of :class:`~amaranth.hdl.Signal`
        The bits that this word spills, which are assigned here.
    """
    def register(value, what):
        return later(m, value, 1, f"{name}_{what}")

    # Wait for the bit of the word above, and put the two late bits where there is room.
    half, extra = halved(Cat(Const(0, 1), register(u[1:], "u")), register(late, "late"),
                         register(late_carry, "late_carry"))
    vectors = [Cat(half[:-1], above),
               *(register(carry, f"carry{index}") for index, carry in enumerate(carries)),
               Cat(Const(0, len(u) - 1), extra)]
    for level, (below, spill) in enumerate(zip(spilled, spills, strict=True)):
        s, c = full_adder(*vectors[:3])
        m.d.sync += spill.eq(c[-1])
        vectors = [register(s, f"s{level}"), register(Cat(below, c[:-1]), f"c{level}"),
                   *(register(vector, f"rest{level}") for vector in vectors[3:])]
    return vectors
