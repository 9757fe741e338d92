"""The exponentiator around the systolic array: windows, and keys that wait for no receiver."""

import itertools

import pytest
from bench import run

from explore.simulation import simulate
from montgomery import exponentiators

Parameters = exponentiators()["dsp_systolic"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("window", "quotient"), list(zip(
    [1, 2, 3, 4, 5, 6], itertools.cycle(["scaled", "plain", "delayed"]), strict=False)))
def test_windows(window, quotient):
    """Exponents of no digit, of one, and of many, which begin within a word and end in another."""
    params = Parameters(width=12, word_width=4, quotient=quotient, window=window)
    vectors = [(2, exponent, 4093) for exponent in (0, 1, 5)]
    vectors += [(4000, 0b1011_0000_0101, 4093), (4092, 4095, 4093)]
    result = simulate(params, vectors, chained=True)
    assert result.products == [pow(*vector) for vector in vectors]
    assert result.products == [params.compute(*vector) for vector in vectors]
    for vector, cycles in zip(vectors, result.cycles, strict=True):
        assert cycles.compute == params.cycles(*vector).compute


def test_algorithm_5_is_a_window_of_one_bit():
    """Equation 3 of the paper."""
    params = Parameters(width=1024, window=1)
    for bits in (1, 2, 1024):
        assert params.multiplications(3, 1 << (bits - 1), (1 << 1024) - 1) == 2 * bits + 2


@pytest.mark.parametrize(("options", "clocks"), [
    ({"quotient": "plain"}, 290_000), ({"quotient": "scaled"}, 290_000),
    ({"quotient": "delayed", "word_width": 18}, 180_000)], ids=str)
def test_clocks_of_1024_bits(options, clocks):
    params = Parameters(width=1024, **options)
    assert params.cycles(*params.longest).compute <= clocks


@pytest.mark.parametrize("elements", [1, 3, 4])
def test_folded_with_a_delayed_quotient(elements):
    """Four, two and three digits per processing element, and more passes where they are fewer."""
    params = Parameters(width=12, word_width=4, window=2, quotient="delayed",
                        processing_elements=elements)
    vectors = [(2, 0, 4093), (4000, 0b1011_0000_0101, 4093), (15, 2, 225), (4092, 4095, 4093)]
    result = simulate(params, vectors, chained=True)
    assert result.products == [pow(*vector) for vector in vectors]
    for vector, cycles in zip(vectors, result.cycles, strict=True):
        assert cycles.compute == params.cycles(*vector).compute


def test_a_window_whose_table_is_too_large():
    assert Parameters(width=4096, window=5)
    with pytest.raises(ValueError, match="Window 6 must leave the table of powers at most 16384 "
                       "words, not 16448; the nearest legal one is 5"):
        Parameters(width=4096, window=6)


def test_a_key_waits_for_no_receiver():
    """A result that nobody takes stays while a key is taken, and keeps the next base out."""
    params = Parameters(width=8, word_width=4, window=2)
    core = params.create()
    found = []

    async def send(ctx, port, words):
        for word in words:
            ctx.set(port.payload, word)
            ctx.set(port.valid, 1)
            for _ in range(1000):
                if (await ctx.tick().sample(port.ready))[-1]:
                    break
            else:
                raise AssertionError("a word was not taken")
        ctx.set(port.valid, 0)

    async def testbench(ctx):
        await send(ctx, core.k, params.encode_key(13, 251))
        await send(ctx, core.i, params.encode(77))
        await send(ctx, core.k, params.encode_key(9, 253))
        ctx.set(core.i.payload, params.encode(78)[0])
        ctx.set(core.i.valid, 1)
        for _ in range(300):
            assert not (await ctx.tick().sample(core.i.ready))[-1]
        ctx.set(core.i.valid, 0)
        ctx.set(core.o.ready, 1)
        for base in (None, 78):
            if base is not None:
                await send(ctx, core.i, params.encode(base))
            words = []
            while len(words) < params.result_words:
                *_, valid, word = await ctx.tick().sample(core.o.valid, core.o.payload)
                words += [word] * valid
            found.append(params.decode(words))

    run(core, testbench)
    assert found == [pow(77, 13, 251), pow(78, 9, 253)]
