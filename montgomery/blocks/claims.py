"""What the blocks do, to be proved."""

from amaranth.hdl import Cat, Signal

from ..claim import Claim, keeps_handshake
from .result_queue import ResultQueue
from .word_buffer import BANK

__all__ = ["CLAIMS"]


def _outlet(m, queue):
    """Count the places and the words of the last memory, by what can be seen at the ports."""
    late, taken = Signal(3, name="late"), Signal(name="taken")
    transfer = Signal(name="transfer")
    free = Signal(range(2 * BANK), name="free", init=BANK)
    there = Signal(range(2 * BANK), name="there")
    write, read = (Signal(range(BANK), name=name) for name in ("write", "read"))
    m.d.comb += transfer.eq(queue.o.valid & queue.o.ready)
    m.d.sync += [late.eq(Cat(queue.freed, late)), taken.eq(transfer),
                 free.eq(free + taken - queue.freed), there.eq(there + late[2] - transfer),
                 write.eq(write + late[2]), read.eq(read + transfer)]
    return {
        "places": free + there + late[0] + late[1] + late[2] + taken != BANK,
        "free": (free > BANK) | (queue.freed & (free == 0)),
        "there": (there > BANK) | (queue.o.valid & (there == 0)),
        "addresses": (write - read)[:len(write)] != there[:len(write)],
    }


CLAIMS = [
    Claim(text="a word on offer stays until it is taken", create=ResultQueue,
          check=keeps_handshake, lemma=_outlet, known=True,
          sizes=({"width": 1, "depth": 12}, {"width": 8, "depth": 40})),
]
