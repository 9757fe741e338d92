"""What the blocks of these architectures do, to be proved."""

from functools import reduce
from operator import add

from amaranth.hdl import Cat, ResetSignal, Signal

from montgomery.blocks.banks import BANK
from montgomery.blocks.values import later
from montgomery.satzoda.array import ResultQueue, Tally

from ..claim import Claim, keeps_handshake

__all__ = ["CLAIMS"]


def _tally(m, block):
    number = Signal(range(block.limit + 2), init=block.init)
    before = Signal.like(number, name="number_before")
    known = Signal()
    m.d.sync += [number.eq(number + block.up - block.down), before.eq(number), known.eq(1)]
    some = later(m, block.some & ~block.down & ~ResetSignal(), 1, "some")
    wrong = ((number == block.limit) & block.up & ~block.down) | ((number == 0) & block.down)
    return {"some": block.some & (number == 0), "stays": some & ~block.some,
            "enough": known & block.enough & (before < block.ENOUGH), "unless": wrong}


def _outlet(m, queue):
    """Count the places and the words of the last memory, by what can be seen at the ports."""
    on_the_way, taken = Signal(3, name="on_the_way"), Signal(name="taken")
    transfer = Signal()
    free = Signal(range(2 * BANK), init=BANK)
    there = Signal(range(2 * BANK))
    write, read = (Signal(range(BANK), name=name) for name in ("write", "read"))
    m.d.comb += transfer.eq(queue.o.valid & queue.o.ready)
    m.d.sync += [on_the_way.eq(Cat(queue.freed, on_the_way)), taken.eq(transfer),
                 free.eq(free + taken - queue.freed), there.eq(there + on_the_way[2] - transfer),
                 write.eq(write + on_the_way[2]), read.eq(read + transfer)]
    return {
        "places": free + there + reduce(add, on_the_way) + taken != BANK,
        "free": (free > BANK) | (queue.freed & (free == 0)),
        "there": (there > BANK) | (queue.o.valid & (there == 0)),
        "addresses": (write - read)[:len(write)] != there[:len(write)],
    }


CLAIMS = [
    Claim(text="some and enough only if there are", create=Tally, check=_tally,
          sizes=({"limit": 12}, {"limit": 16, "init": 16}, {"limit": 40})),
    Claim(text="a word stays until it is taken", create=ResultQueue, check=keeps_handshake,
          lemma=_outlet, known=True,
          sizes=({"width": 1, "depth": 12}, {"width": 8, "depth": 40})),
]
