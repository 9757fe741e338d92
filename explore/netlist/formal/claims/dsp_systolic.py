"""What the blocks of this architecture do, to be proved."""

from functools import reduce
from operator import or_

from amaranth.hdl import Array, Mux, Signal

from montgomery.dsp_systolic.queue import DigitQueue

from ..claim import Claim, keeps_handshake

__all__ = ["CLAIMS"]


def _queue(m, block):
    """Keep the words in a register each, the first one in the lowest."""
    places = block.depth + 1
    words = [Signal(block.width, name=f"word_{place}", reset_less=True) for place in range(places)]
    held = Signal(range(places + 1), name="held")
    given = block.o.valid & block.o.ready
    left = held - given
    m.d.sync += held.eq(left + block.push)
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < places else word
        m.d.sync += word.eq(Mux(block.push & (left == place), block.data,
                                Mux(given, following, word)))
    full = block.push & (left[:len(held)] >= block.depth)
    handshake = {f"handshake_{name}": value for name, value in keeps_handshake(m, block).items()}
    return {"word": block.o.valid & (block.o.payload != Array(words)[0]),
            "valid": block.o.valid & (held == 0),
            "alone": block.o.valid & block.alone & (held > 1),
            "unless": reduce(or_, [full]), **handshake}


CLAIMS = [
    Claim(text="first in, first out", create=DigitQueue, check=_queue,
          sizes=({"width": 1, "depth": 3}, {"width": 2, "depth": 5})),
]
