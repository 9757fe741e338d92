"""What the blocks of the engines for points do, to be proved."""

from amaranth.hdl import Array, Mux, ResetSignal, Signal

from montgomery.blocks.values import later
from montgomery.wide.units.intake import PairedIntake

from ..claim import Claim

__all__ = ["CLAIMS"]


def _paired_intake(m, block):
    """Count words that are accepted and taken; a turn runs from its begin until it rests."""
    there, taken = (Signal(range(block.count + 1), name=name) for name in ("there_", "taken_"))
    runs, came, under_way, rested = (Signal(name=name) for name in (
        "runs", "came", "under_way", "rested_"))
    waits = Signal(range(block.count + 2))
    last, rests = Signal(name="last"), block.resting & ~rested
    words = Array(Signal.like(block.word, name=f"word_{place}") for place in range(block.count))
    pushes = block.i.valid & block.i.ready
    begins = block.goes_on | last
    m.d.comb += last.eq(block.takes & (taken == block.count - 1))
    m.d.sync += [rested.eq(block.resting), runs.eq((runs | begins) & ~rests),
                 there.eq(Mux(last, 0, there + pushes)),
                 taken.eq(Mux(last, 0, taken + block.takes)),
                 came.eq((came & ~rests) | last), under_way.eq(Mux(rests, came, under_way)),
                 waits.eq(Mux(begins | ~under_way | runs | ~block.resting, 0, waits + 1))]
    with m.If(pushes):
        m.d.sync += words[there].eq(block.i.payload)
    known = later(m, block.takes, 2, "takes_", reset_less=False)
    return {"waits": waits == block.count, "sends": block.sends != under_way,
            "lost": pushes & (there == block.count), "none": block.takes & (there == taken),
            "refuses": (block.resting & rested & ~came & ~under_way & ~runs
                        & (there < block.count) & ~block.i.ready),
            "word": known & (block.word != later(m, words[taken], 2, "taken_word")),
            "unless": ResetSignal() | (~block.resting & rested & ~runs) | (rests & ~runs)}


CLAIMS = [
    Claim(text="a turn never waits for words, which go in order", create=PairedIntake,
          check=_paired_intake, sizes=(
              {"count": 3, "gathers": False}, {"count": 3, "gathers": True},
              {"count": 5, "gathers": False})),
]
