"""What the shared blocks do, to be proved."""

from functools import reduce
from operator import add, or_

from amaranth.hdl import Array, Mux, ResetSignal, Signal

from montgomery.blocks.banks import Gather, WordBuffer
from montgomery.blocks.block_ram import BlockRam
from montgomery.blocks.carry_save import Resolver, gate
from montgomery.blocks.multiply_add import MultiplyAdd
from montgomery.blocks.streams import DigitQueue, Narrow, Skid, Widen
from montgomery.blocks.values import later

from ..claim import Claim, keeps_handshake

__all__ = ["CLAIMS"]


def _multiply_add(m, block):
    product = (later(m, block.a, block.latency, "a") * later(m, block.b, block.latency, "b"))
    addends = [later(m, getattr(block, name), block.addend_latency, name) for name in ("c", "d")
               if name in block.signature.members]
    return {"sum": block.p != sum(addends, product)}


def _resolver(m, block):
    # A carry from word to word, and nothing else.
    carry = Signal()
    first = Signal()
    total = Signal(block.width + 1)
    m.d.comb += total.eq(block.s + block.c + Mux(first, 0, carry))
    begun = Signal()
    m.d.sync += [first.eq(block.first), carry.eq(total[-1]), begun.eq(begun | block.first)]
    known = later(m, begun, block.latency, "known")
    return {"word": known & (block.word != later(m, total[:block.width], block.latency, "word")),
            "unless": ResetSignal()}


def _gather(m, block):
    chosen = reduce(or_, (gate(block.chosen[index], word)
                          for index, word in enumerate(block.words)))
    clocks = block.latency_of(block.count)
    return {"word": block.word != later(m, chosen, clocks, "chosen"),
            "unless": reduce(add, block.chosen) > 1}


def _narrow(m, block):
    # Words that are due, of the wide word that was accepted.
    word = Signal.like(block.i.payload, reset_less=True)
    due = Signal(range(block.ratio + 1))
    given, taken = block.o.valid & block.o.ready, block.i.valid & block.i.ready
    m.d.sync += due.eq(Mux(taken, block.ratio, due - given))
    with m.If(taken):
        m.d.sync += word.eq(block.i.payload)
    expected = Array(word.word_select(block.ratio - left, block.width) if left else 0
                     for left in range(block.ratio + 1))[due]
    return {"word": block.o.valid & (block.o.payload != expected),
            "valid": block.o.valid != (due != 0),
            "lost": taken & (due > given), **_named(keeps_handshake(m, block))}


def _widen(m, block):
    words = Signal(block.width * block.ratio, reset_less=True)
    held = Signal(range(block.ratio + 1))
    given, taken = block.o.valid & block.o.ready, block.i.valid & block.i.ready
    left = Mux(given, 0, held)
    m.d.sync += held.eq(left + taken)
    with m.If(taken):
        m.d.sync += words.word_select(left, block.width).eq(block.i.payload)
    full = held == block.ratio
    return {"word": block.o.valid & (block.o.payload != words), "valid": block.o.valid != full,
            "lost": taken & full & ~given, **_named(keeps_handshake(m, block))}


def _skid(m, block):
    words = [Signal.like(block.i.payload, name=f"word_{place}", reset_less=True)
             for place in range(2)]
    held = Signal(range(3))
    given, taken = block.o.valid & block.o.ready, block.i.valid & block.i.ready
    left = held - given
    m.d.sync += held.eq(left + taken)
    m.d.sync += words[0].eq(Mux(taken & (left == 0), block.i.payload,
                                Mux(given, words[1], words[0])))
    with m.If(taken & (left == 1)):
        m.d.sync += words[1].eq(block.i.payload)
    return {"word": block.o.valid & (block.o.payload != words[0]),
            "valid": block.o.valid != (held != 0), "lost": block.i.ready & (held == 2),
            **_named(keeps_handshake(m, block))}


def _named(values):
    return {f"handshake_{name}": value for name, value in values.items()}


def _block_ram(m, block):
    words = Array(Signal(block.width, name=f"word_{index}", reset_less=True)
                  for index in range(block.depth))
    wrong = {}
    unless = []
    ports = {"a": block.a, "b": block.b}
    for name, port in ports.items():
        other = ports["b" if name == "a" else "a"]
        found, expected = (Signal(block.width, name=f"{name}_{what}", reset_less=True)
                           for what in ("found", "expected"))
        defined, is_defined = (Signal(name=f"{name}_{what}", reset_less=True)
                               for what in ("defined", "is_defined"))
        writes, others = port.enable & port.write, other.enable & other.write
        with m.If(writes):
            m.d.sync += words[port.address].eq(port.data)
        with m.If(port.enable):
            m.d.sync += [found.eq(words[port.address]), expected.eq(found),
                         defined.eq(~port.write & ~(others & (other.address == port.address))),
                         is_defined.eq(defined)]
        wrong[name] = is_defined & (port.q != expected)
        unless += [port.address >= block.depth, writes & others]
    return wrong | {"unless": reduce(or_, unless)}


def _word_buffer(m, block):
    words = Array(Signal(block.width, name=f"word_{index}", reset_less=True)
                  for index in range(block.depth))
    written, read = (Signal(range(block.depth + 1), name=name) for name in ("written", "read"))
    with m.If(block.push):
        m.d.sync += [words[written].eq(block.data), written.eq(written + 1)]
    given = block.o.valid & block.o.ready
    m.d.sync += read.eq(read + given)
    # One filling from the initial state: all words are there before they may be read.
    early = block.available & (written != block.depth)
    ends = later(m, block.available & ~ResetSignal(), 1, "available") & ~block.available
    return {"word": block.o.valid & (block.o.payload != words[read]),
            "last": block.o.valid & (block.last != (read == block.depth - 1)),
            "more": block.o.valid & (read == block.depth),
            "full": (written < block.depth) & (block.full != (written == block.depth - 1)),
            "unless": early | ends | (block.push & (written == block.depth)) | ResetSignal()}


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
    return {"word": block.o.valid & (block.o.payload != Array(words)[0]),
            "valid": block.o.valid & (held == 0),
            "unless": full, **_named(keeps_handshake(m, block))}


def _factors(width, **options):
    return {"a_width": width, "b_width": width, **options}


CLAIMS = [
    Claim(text="p = a b + c + d", create=MultiplyAdd, check=_multiply_add, sizes=(
        _factors(4, c_width=4, d_width=4), _factors(8), _factors(8, c_width=16),
        _factors(5, c_width=9, d_width=3, input_register=False, product_registers=2),
        _factors(5, c_width=9, product_registers=0, output_register=False))),
    Claim(text="words of s + c", create=Resolver, check=_resolver,
          sizes=({"width": 4}, {"width": 12}, {"width": 32})),
    Claim(text="the word that was chosen", create=Gather, check=_gather,
          sizes=({"width": 2, "count": 3}, {"width": 4, "count": 20}, {"width": 4, "count": 40})),
    Claim(text="each word in narrower words", create=Narrow, check=_narrow,
          sizes=({"width": 2, "ratio": 3}, {"width": 8, "ratio": 4})),
    Claim(text="narrower words in one", create=Widen, check=_widen,
          sizes=({"width": 2, "ratio": 3}, {"width": 8, "ratio": 4})),
    Claim(text="first in, first out", create=Skid, check=_skid,
          sizes=({"width": 2}, {"width": 8})),
    Claim(text="the word at the address, 2 clocks late", create=BlockRam, check=_block_ram,
          sizes=({"width": 1, "depth": 4}, {"width": 2, "depth": 8})),
    Claim(text="words in order, the last one marked", create=WordBuffer, check=_word_buffer,
          sizes=({"width": 1, "depth": 3}, {"width": 2, "depth": 5}, {"width": 1, "depth": 18})),
    Claim(text="first in, first out", create=DigitQueue, check=_queue,
          sizes=({"width": 1, "depth": 3}, {"width": 2, "depth": 5})),
]
