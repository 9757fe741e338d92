"""Keys that stay, what they hold, and the windows of exponents."""

import random

import pytest
from bench import keys_of, multiply, run, whole
from single_dsp_words import offer, random_vector

from explore.simulation import simulate
from montgomery import architectures, exponentiators

SEED = 2010
MULTIPLIER = architectures()["single_dsp"]
EXPONENTIATOR = exponentiators()["single_dsp"]


@pytest.mark.parametrize("cls", [MULTIPLIER, EXPONENTIATOR])
def test_words_that_come_while_it_computes_wait(cls):
    """Words of the next operation are offered all the time, and none is taken before the first word
    of a result; of an exponentiator, before its last one.
    """
    params = cls(width=29, word_width=8)
    rng = random.Random(SEED)
    *key, modulus = params.key_of(*random_vector(params, rng))
    vectors = [(*(rng.randrange(modulus) for _ in range(2 - len(key))), *key, modulus)
               for _ in range(3)]
    component = params.create()
    each = len(params.encode(*vectors[0]))
    begun, taken, sent = [], [], []

    async def sender(ctx):
        await offer(ctx, component.k, params.encode_key(*key, modulus))
        await offer(ctx, component.i,
                     [word for vector in vectors for word in params.encode(*vector)],
                     taken=lambda: taken.append((len(begun), len(sent))))

    async def receiver(ctx):
        ctx.set(component.o.ready, 1)
        for vector in vectors:
            words = []
            for _ in range(params.result_words):
                word, = await ctx.tick().sample(component.o.payload).until(component.o.valid)
                if not words:
                    begun.append(vector)
                words.append(word)
            assert params.decode(words) == params.compute(*vector), f"{vector} seed {SEED}"
            sent.append(vector)

    run(component, sender, receiver)
    numbers = [number for number in range(3) for _ in range(each)]
    assert [found[cls is EXPONENTIATOR] for found in taken] == numbers


@pytest.mark.parametrize("params", [
    MULTIPLIER(width=29, word_width=8), MULTIPLIER(width=5, word_width=8),
    EXPONENTIATOR(width=29, word_width=8), EXPONENTIATOR(width=5, word_width=8),
    EXPONENTIATOR(width=11, word_width=8, processors=2)], ids=repr)
def test_a_key_does_not_wait_for_a_result_to_be_taken(params):
    """Nor does what is written of it change the result; but it waits for an operation."""
    rng = random.Random(SEED)
    vectors = [random_vector(params, rng) for _ in range(2)]
    component = params.create()
    first, second = keys_of(params, vectors)

    async def testbench(ctx):
        await offer(ctx, component.k, first)
        await offer(ctx, component.i, params.encode(*vectors[0]))
        await offer(ctx, component.k, second)
        results = [await multiply(ctx, component, words, params.result_words, patience=10000)
                   for words in ([], params.encode(*vectors[1]))]
        for vector, (words, _) in zip(vectors, results, strict=True):
            assert params.decode(words) == params.compute(*vector), f"{vector} seed {SEED}"

    run(component, testbench)


def test_upper_bits_of_a_length_are_ignored():
    """There is room for 7 digits, so three bits say how many there are."""
    params = MULTIPLIER(width=16, word_width=8)
    component = params.create()
    vectors = [(200, 100, 251), (30000, 40000, 65535)]

    async def testbench(ctx):
        for upper, vector in zip((0b10110, 0b11111), vectors, strict=True):
            length, *key = params.encode_key(*params.key_of(*vector))
            found, _ = await multiply(ctx, component, params.encode(*vector), params.result_words,
                                      key=[length | upper << 3, *key])
            assert params.decode(found) == params.compute(*vector)

    run(component, testbench)


@pytest.mark.sample(2)
@pytest.mark.parametrize(("word_width", "window"), [(4, 1), (8, 2), (8, 3), (4, 4), (8, 6)])
def test_windows(word_width, window):
    """Exponents of all lengths, so that the last windows are of all lengths too."""
    params = EXPONENTIATOR(width=9, word_width=word_width, window=window)
    rng = random.Random(SEED)
    vectors = [(rng.randrange(507), exponent, 507) for exponent in (
        0, *(rng.getrandbits(bits) | 1 << (bits - 1) for bits in range(1, 10)), 511)]
    result = simulate(params, vectors, chained=True)
    assert result.products == [pow(*vector) for vector in vectors], f"seed {SEED}"
    for vector, cycles in zip(vectors, result.cycles, strict=True):
        formula = params.cycles_of(*vector)
        assert whole(cycles, formula) == formula
    assert [params.compute(*vector) for vector in vectors] == result.products


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
        found, _ = await multiply(ctx, component, params.encode(5), params.result_words, key=key)
        assert params.decode(found) == 1

    run(component, testbench)
