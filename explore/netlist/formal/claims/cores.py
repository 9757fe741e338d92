"""What the blocks of some cores do, to be proved."""

from functools import reduce
from operator import add

from amaranth.hdl import Array, Cat, Const, Mux, ResetSignal, Signal

from montgomery.blocks.banks import BANK
from montgomery.blocks.values import later
from montgomery.cox_rower.divider import Divider, LookAhead
from montgomery.hash.sha1 import BLOCK, LENGTH, MARK, Padding
from montgomery.satzoda.array import ResultQueue, Tally
from montgomery.wide.units.words import PairedIntake

from ..claim import Claim, keeps_handshake

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
    Claim(text="the remainder of one division", create=Divider, check=_divider,
          sizes=({"width": 2, "words": 2},)),
    Claim(text="the word at the address", create=LookAhead, check=_look_ahead,
          sizes=({"width": 2, "depth": 3}, {"width": 4, "depth": 8})),
    Claim(text="a one, zeros and the length behind a message", create=Padding, check=_padding,
          sizes=({"longest": 2}, {"longest": 130})),
    Claim(text="some and enough only if there are", create=Tally, check=_tally,
          sizes=({"limit": 12}, {"limit": 16, "init": 16}, {"limit": 40})),
    Claim(text="a word stays until it is taken", create=ResultQueue, check=keeps_handshake,
          lemma=_outlet, known=True,
          sizes=({"width": 1, "depth": 12}, {"width": 8, "depth": 40})),
    Claim(text="a turn never waits for words, which go in order", create=PairedIntake,
          check=_paired_intake, sizes=(
              {"count": 3, "gathers": False}, {"count": 3, "gathers": True},
              {"count": 5, "gathers": False})),
]
