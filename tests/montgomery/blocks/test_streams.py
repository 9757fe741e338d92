import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from bench import transfer

from montgomery.blocks.skid import Skid
from montgomery.blocks.streams import Narrow, Widen, adapt, join
from montgomery.core import to_words

SIZES = pytest.mark.parametrize(("width", "ratio"), [(4, 2), (5, 3), (8, 4), (1, 7)])
SEED = 7


def _words(width, ratio, count):
    rng = random.Random(SEED)
    wide = [rng.getrandbits(width * ratio) for _ in range(count)]
    return wide, [part for word in wide for part in to_words(word, width, ratio)]


class Adapted(wiring.Component):
    """A pair of adapters around a wire of narrow words."""

    def __init__(self, width, ratio, word=None):
        self.width, self.ratio = width, ratio
        word = word or width * ratio
        super().__init__({"i": In(stream.Signature(word)), "o": Out(stream.Signature(word))})

    def elaborate(self, platform):
        m = Module()
        inner = wiring.Signature({"i": In(stream.Signature(self.width)),
                                  "o": Out(stream.Signature(self.width))}).create()
        adapt(m, self, inner, width=self.width, ratio=self.ratio)
        wiring.connect(m, wiring.flipped(inner.i), wiring.flipped(inner.o))
        return m


class Joined(Adapted):
    """A pair of adapters around a wire of wide words."""

    def elaborate(self, platform):
        m = Module()
        inner = wiring.Signature({"i": In(stream.Signature(self.width * self.ratio)),
                                  "o": Out(stream.Signature(self.width * self.ratio))}).create()
        join(m, self, inner, width=self.width, ratio=self.ratio)
        wiring.connect(m, wiring.flipped(inner.i), wiring.flipped(inner.o))
        return m


@SIZES
def test_narrow_has_no_gap(width, ratio):
    wide, narrow = _words(width, ratio, 20)
    done = transfer(Narrow(width, ratio), wide, len(narrow))
    assert done.words == narrow
    first = done.sent[0] + 1
    assert done.received == list(range(first, first + len(narrow)))


@SIZES
def test_widen_has_no_gap(width, ratio):
    wide, narrow = _words(width, ratio, 20)
    done = transfer(Widen(width, ratio), narrow, len(wide))
    assert done.words == wide
    assert done.sent == list(range(done.sent[0], done.sent[0] + len(narrow)))
    assert done.received == [clock + 1 for clock in done.sent[ratio - 1::ratio]]


@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_adapters_in_both_directions(ratio):
    wide, _ = _words(4, ratio, 20)
    done = transfer(Adapted(4, ratio), wide, len(wide),
                    get_after=lambda index: index % 3)
    assert done.words == wide


@SIZES
def test_joiners_in_both_directions(width, ratio):
    _, narrow = _words(width, ratio, 20)
    done = transfer(Joined(width, ratio, word=width), narrow, len(narrow),
                    get_after=lambda index: index % 3)
    assert done.words == narrow


def test_a_skid_has_no_gap():
    words = random.Random(SEED).sample(range(256), 50)
    done = transfer(Skid(8), words, len(words))
    assert done.words == words
    first = done.sent[0] + Skid.LATENCY
    assert done.received == list(range(first, first + len(words)))


def test_a_skid_takes_two_words_from_a_sender_whose_receiver_waits():
    done = transfer(Skid(4), [1, 2, 3, 4], 4, get_after=lambda index: 20 if index == 0 else 0)
    assert done.words == [1, 2, 3, 4]
    assert done.sent[1] < 20 < done.sent[2]
