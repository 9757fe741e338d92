"""The generic exponentiator around a multiplier that keeps its key and its results."""

import pytest
from bench import stream
from cases import top
from toy_key import Keyed

from explore.simulation import verify
from montgomery import exponentiators, registry
from montgomery.core import cycles_of, from_words, kind_of

GENERIC = exponentiators()["generic"]


@pytest.fixture(autouse=True)
def keyed(monkeypatch):
    """Add the toy that keeps a key to the multipliers."""
    cores = registry.cores
    monkeypatch.setattr(registry, "cores", lambda kind: (
        {**cores(kind), "keyed": Keyed} if kind == kind_of(Keyed).name else cores(kind)))


@pytest.mark.parametrize("options", [
    {"width": 13, "method": "binary"}, {"width": 8, "window": 3}], ids=str)
def test_products_chain_in_a_multiplier_that_keeps_results(options):
    params = GENERIC(multiplier="keyed", word_width=4, **options)
    report = verify(params, vectors=4)
    assert report.ok, report.message
    assert report.constant_time is (params.method == "always")


@pytest.mark.parametrize("multiplier", ["keyed", "mmm_mx_1d pe_width=4"])
def test_a_key_is_taken_while_a_result_waits(multiplier):
    params = GENERIC(width=8, word_width=4, multiplier=multiplier, window=2)
    vectors = [(5, 77, 201), (3, 200, 255), (4, 200, 255), (9, 1, 85)]
    found = stream(params, vectors, get_after=lambda index: 700 * (index % 3 == 1),
                   patience=5000)
    assert found == [pow(*vector) for vector in vectors]


def test_the_words_of_a_key():
    params = GENERIC(width=13, word_width=4, multiplier="keyed", window=3)
    exponent, modulus = 0b110_1101, 0x1FF1
    words = params.encode_key(exponent, modulus, exponent_bits=10)
    assert [section.count for section in params.layout.key] == [4, 1, 4, 4]
    assert len(words) == 13
    assert from_words(words[:4], 4) == modulus
    assert words[4] == 4  # digits
    assert from_words(words[5:9][::-1], 4) == exponent << 4  # four digits of three bits, of 16
    assert from_words(words[9:], 4) == (1 << 26) % modulus
    assert params.encode(7) == params.encode(7, exponent, modulus) == [7, 0, 0, 0]
    with pytest.raises(ValueError, match="Operand base"):
        params.encode(1 << 16)


def test_each_product_takes_the_clocks_of_the_multiplier():
    params = GENERIC(width=64, multiplier="keyed", word_width=64, window=4)
    short, long = (cycles_of(params, 3, 0, top(params), exponent_bits=bits).compute
                   for bits in (8, 64))
    assert long - short == 14 * 5 * params.inner.cycles.interval
