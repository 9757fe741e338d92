"""Two-dimensional arrays: a multiplication a word, at their own rate, each with its own modulus."""

import itertools
import re

import pytest
from amaranth.back import rtlil
from bench import transfer

from explore.simulation import random_vectors
from montgomery import architectures
from montgomery.blocks.banks import BANK
from montgomery.core import name_of, results_of, traits
from montgomery.satzoda.array import ArrayParameters

SEED = 4242
CLASSES = [cls for cls in architectures().values() if issubclass(cls, ArrayParameters)]
EACH = pytest.mark.parametrize("cls", [pytest.param(cls, id=name_of(cls)) for cls in CLASSES])

#: Clocks of an iteration and between multiplications, with what the paper has Figure 3 (b) for.
CLOCKS = {"mmm_cs_2d": 1, "mmm_mx_2d": 2, "mmm_op_2d": 1}


@EACH
@pytest.mark.parametrize("width", [16, 64, 128])
def test_latency_is_that_of_the_rows_and_a_little(cls, width):
    params = cls(width=width)
    clocks = CLOCKS[name_of(cls)]
    assert traits(params).initiation == clocks
    # Beside the rows: from group to group and through the queue.
    extra = params.cycles.compute - clocks * (width + 2)
    assert 0 < extra <= 10 + clocks * params.groups


@EACH
@pytest.mark.parametrize("pe_width", [4, 5, 16])
@pytest.mark.parametrize("width", [4, 13])
def test_skew_bits_are_the_registers_so_named(cls, width, pe_width):
    params = cls(width=width, pe_width=pe_width)
    text = rtlil.convert(params.create(), emit_src=False)
    sizes = re.findall(r"^\s*wire (?:width (\d+) )?\\skew_", text, re.MULTILINE)
    assert sum(int(size or 1) for size in sizes) == traits(params).skew_bits


@pytest.mark.sample(1)
@EACH
def test_rows_are_vectors(cls):
    """Statements grow with the rows and not with the cells."""
    lines = [rtlil.convert(cls(width=width, pe_width=4096).create(), emit_src=False).count("\n")
             for width in (16, 24, 32)]
    assert lines[2] - lines[1] < 1.1 * (lines[1] - lines[0])


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


@EACH
def test_a_word_is_a_multiplication(cls):
    params = cls(width=12)
    assert (params.word_width, params.operands.width, results_of(params).width) == (12, 38, 13)
    assert params.encode(0x1234, 0x0FED, 0xABD) == [0xABD << 26 | 0x0FED << 13 | 0x1234]
    assert params.decode([0x1234]) == 0x1234
    # It follows from the width, so there is nothing to choose.
    with pytest.raises(TypeError, match="word_width"):
        cls(width=12, word_width=12)


@EACH
def test_groups_are_equal_and_no_larger_than_asked_for(cls):
    for width, pe_width in itertools.product(range(4, 140), (4, 8, 13, 16, 64)):
        params = cls(width=width, pe_width=pe_width)
        columns = traits(params).initiation * params.groups * params.group_width
        assert params.group_width <= pe_width
        # All columns are there, and as few more as equal groups allow.
        assert width + 2 <= columns < width + 2 + traits(params).initiation * params.groups
        if traits(params).initiation == 2:
            assert params.groups % 2 == 1
