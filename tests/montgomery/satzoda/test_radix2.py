"""What the designs of Satzoda, Chang and Jong have in common, whichever the registry holds."""

import dataclasses

import cases
import pytest

from montgomery import architectures
from montgomery.core import name_of, results_of
from montgomery.satzoda.radix2 import Radix2Parameters

ALL = [pytest.param(cls, variant, id="-".join([name, *map(str, variant.values())]))
       for name, cls in architectures().items() if issubclass(cls, Radix2Parameters)
       for variant in cases.variants(cls)]
EACH = pytest.mark.parametrize(("cls", "variant"), ALL)

#: Clocks of an iteration in the paper.
CLOCKS = {"mmm_cs_1d": 1, "mmm_op_1d": 1, "mmm_mx_1d": 2}


@pytest.mark.parametrize(("cls", "variant"),
                         [case for case in ALL if name_of(case.values[0]) in CLOCKS])
@pytest.mark.parametrize("width", [128, 256, 1024])
def test_compute_is_what_the_paper_counts_and_a_little(cls, variant, width):
    # Beside the iterations: into the buffer and the row, the last carries, and out of the buffer.
    params = cls(width=width, **variant)
    assert params.iterations == width + 2
    extra = params.cycles.compute - CLOCKS[name_of(cls)] * params.iterations
    assert 0 < extra <= 32


@EACH
def test_four_times_the_modulus_is_below_r(cls, variant):
    for width in (4, 17, 1024):
        params = cls(width=width, **variant)
        assert params.r == 4 << width
        assert params.bound((1 << width) - 1) == (2 << width) - 2


@EACH
@pytest.mark.parametrize(("word_width", "pe_width", "nearest"), [
    (17, 16, 16), (25, 16, 32), (8, 16, 16), (1, 4, 4), (15, 4, 16), (60, 64, 64)])
def test_words_are_whole_elements(cls, variant, word_width, pe_width, nearest):
    with pytest.raises(ValueError, match="must be a multiple") as caught:
        cls(width=64, word_width=word_width, pe_width=pe_width, **variant)
    assert str(caught.value) == (f"Word width {word_width} must be a multiple of pe_width "
                                 f"{pe_width}; the nearest one is {nearest}")
    assert cls(width=64, word_width=nearest, pe_width=pe_width, **variant).ratio == (
        nearest // pe_width)


@EACH
def test_the_word_width_that_is_proposed_is_legal(cls, variant):
    limit = {field.name: field.metadata["maximum"] for field in dataclasses.fields(cls)}
    for pe_width in range(4, limit["pe_width"] + 1):
        for word_width in (1, 2 * pe_width - 1, limit["word_width"] - 1, limit["word_width"]):
            if word_width % pe_width:
                with pytest.raises(ValueError, match="the nearest one is") as caught:
                    cls(width=64, word_width=word_width, pe_width=pe_width, **variant)
                nearest = int(str(caught.value).rpartition(" ")[-1])
                cls(width=64, word_width=nearest, pe_width=pe_width, **variant)


@EACH
def test_x_and_y_are_sent_side_by_side_and_the_modulus_as_a_key(cls, variant):
    params = cls(width=14, word_width=8, pe_width=4, **variant)
    assert params.result_words == 2
    messages = (params.operands, params.key_operands, results_of(params))
    assert [message.width for message in messages] == [16, 8, 8]
    assert params.encode(0x0123, 0x0456, 0x3FFF) == [0x5623, 0x0401]
    assert params.encode_key(0x3FFF) == [0xFF, 0x3F]
    assert params.decode([0x34, 0x12]) == 0x1234
