"""What the blocks of hash functions do, to be proved."""

from amaranth.hdl import Cat, Const, Mux, Signal

from montgomery.hash.sha1 import BLOCK, LENGTH, MARK, Padding

from ..claim import Claim

__all__ = ["CLAIMS"]


def _padding(m, block):
    """Count octets and blocks of a message from what passes the ports."""
    place = Signal(range(BLOCK))
    length = Signal(range(block.longest + 2))
    ended, marked, final = (Signal(name=name) for name in ("ended", "marked", "final"))
    given, taken = block.o.valid & block.o.ready, block.i.valid & block.i.ready
    in_length = final & (place >= BLOCK - LENGTH)
    # The length in bits, its highest octet first.
    bits = Cat(Const(0, 3), length, Const(0, 8 * LENGTH - 3 - len(length)))
    added = Mux(in_length, bits.word_select(~place[:3], 8), Mux(marked, 0, MARK))
    is_last = final & (place == BLOCK - 1)
    m.d.sync += place.eq(place + given)
    with m.If(taken):
        m.d.sync += [ended.eq(block.i.payload.end), length.eq(length + ~block.i.payload.end)]
    with m.If(ended & given):
        # There must be room for the length behind the mark; the next block has room.
        room = ~marked & (place < BLOCK - LENGTH)
        m.d.sync += [marked.eq(1), final.eq(final | room | (place == BLOCK - 1))]
        with m.If(is_last):
            m.d.sync += [ended.eq(0), marked.eq(0), final.eq(0), length.eq(0)]
    octet = Mux(ended, added, block.i.payload.data)
    return {
        "octet": block.o.valid & (block.o.payload != octet),
        "valid": block.o.valid != (ended | (block.i.valid & ~block.i.payload.end)),
        "ready": block.i.ready != (~ended & block.o.ready),
        "last": block.last != is_last,
        "unless": length > block.longest}


CLAIMS = [
    Claim(text="a one, zeros and the length behind a message", create=Padding, check=_padding,
          sizes=({"longest": 2}, {"longest": 130})),
]
