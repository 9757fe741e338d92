"""Two-dimensional arrays: a multiplication a word, at their own rate, each with its own modulus."""

import re

import pytest
from amaranth.back import rtlil
from bench import transfer

from explore.simulation import random_vectors
from montgomery import architectures
from montgomery.blocks.banks import BANK
from montgomery.core import name_of, traits
from montgomery.satzoda.array import ArrayParameters

SEED = 4242
CLASSES = [cls for cls in architectures().values() if issubclass(cls, ArrayParameters)]
EACH = pytest.mark.parametrize("cls", [pytest.param(cls, id=name_of(cls)) for cls in CLASSES])



@EACH
@pytest.mark.parametrize("pe_width", [4, 5, 16])
@pytest.mark.parametrize("width", [4, 13])
def test_skew_bits_are_the_registers_so_named(cls, width, pe_width):
    params = cls(width=width, pe_width=pe_width)
    text = rtlil.convert(params.create(), emit_src=False)
    sizes = re.findall(r"^\s*wire (?:width (\d+) )?\\skew_", text, re.MULTILINE)
    assert sum(int(size or 1) for size in sizes) == traits(params).skew_bits


@EACH
@pytest.mark.parametrize("pe_width", [4, 16])
def test_a_receiver_that_waits_stops_the_sender_and_loses_nothing(cls, pe_width):
    params = cls(width=11, pe_width=pe_width)
    vectors = random_vectors(params, 3 * params.queue_depth, SEED)
    words = [word for vector in vectors for word in params.encode(*vector)]
    pause = 10 * params.cycles.interval
    done = transfer(params.create(), words, len(words),
                    get_after=lambda index: pause if index == 0 else 0)
    assert [params.decode([word]) for word in done.words] == [
        params.compute(*vector) for vector in vectors], f"seed {SEED}"
    before = sum(clock < pause for clock in done.sent)
    # But for some places in reserve the queue and its outlet are full.
    assert -6 <= before - params.queue_depth - BANK <= 0
    # They come one a clock, but for gaps between those that had left the queue before it filled.
    assert done.received[before - 1] <= pause + before + 3
