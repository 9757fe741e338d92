"""Keys that stay, what they hold, and the windows of exponents."""

import pytest
from bench import offer, receive, run, stream

from montgomery import architectures, exponentiators
from montgomery.core import key_of

MULTIPLIER = architectures()["single_dsp"]
EXPONENTIATOR = exponentiators()["single_dsp"]


def test_upper_bits_of_a_length_are_ignored():
    """There is room for 7 digits, so three bits say how many there are."""
    params = MULTIPLIER(width=16, word_width=8)
    component = params.create()
    vectors = [(200, 100, 251), (30000, 40000, 65535)]

    async def testbench(ctx):
        for upper, vector in zip((0b10110, 0b11111), vectors, strict=True):
            length, *key = params.encode_key(*key_of(params, *vector))
            await offer(ctx, component.k, [length | upper << 3, *key])
            await offer(ctx, component.i, params.encode(*vector))
            found = await receive(ctx, component.o, params.result_words)
            assert params.decode(found) == params.compute(*vector)

    run(component, testbench)


@pytest.mark.parametrize("word_width", [4, 17])
def test_an_exponent_may_be_64_bits_longer(word_width):
    params = EXPONENTIATOR(width=12, word_width=word_width, window=2)
    vectors = [(5, (1 << bits) - 3, 4001) for bits in (76, 12, 17, 18)]
    found = stream(params, vectors, patience=50_000)
    assert found == [pow(*vector) for vector in vectors]


def test_the_window_that_fits():
    """In 1024 words: parts of 64 words at 1024 bits, of which eleven and more are numbers."""
    windows = {width: EXPONENTIATOR(width=width).window_bits
               for width in (64, 128, 256, 512, 1024, 2048, 2173, 4096)}
    assert windows == {64: 3, 128: 4, 256: 4, 512: 4, 1024: 3, 2048: 1, 2173: 1, 4096: 1}
    assert EXPONENTIATOR(width=1024, window=3).multiplications(
        2, 1 << 1023, (1 << 1024) - 1) == 8 + 1024 + 342 + 1
    assert EXPONENTIATOR(width=1024, window=1).multiplications(
        2, 1 << 1023, (1 << 1024) - 1) == 2 * 1024 + 3
    assert EXPONENTIATOR(width=1024, method="binary").window_bits == 1
    assert EXPONENTIATOR(width=1024, window=6).window_bits == 6  # in several blocks
    with pytest.raises(ValueError, match=r"Window must be 5 or less where the numbers have 4096 "
                       r"bits, for which the memory has 16384 words, not 6; the nearest legal "
                       r"value is 5"):
        EXPONENTIATOR(width=4096, window=6)
    with pytest.raises(ValueError, match="Window must be 1 with method binary, not 2; the nearest "
                       "legal value is 1"):
        EXPONENTIATOR(width=64, method="binary", window=2)
    with pytest.raises(ValueError, match="Window must be 6 or less, not 7"):
        EXPONENTIATOR(width=64, window=7)


def test_an_exponent_without_a_one_above_it_is_0():
    params = EXPONENTIATOR(width=11, word_width=4)
    key = params.encode_key(0, 2039)
    key[-params.result_words:] = [0] * params.result_words
    component = params.create()

    async def testbench(ctx):
        await offer(ctx, component.k, key)
        await offer(ctx, component.i, params.encode(5))
        found = await receive(ctx, component.o, params.result_words)
        assert params.decode(found) == 1

    run(component, testbench)
