"""The generic exponentiator around a multiplier that keeps its key and its results."""

import pytest
from bench import offer, receive, run, stream
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


@pytest.mark.parametrize("options", [{"width": 13, "window": 1}, {"width": 8, "window": 3}],
                         ids=str)
def test_products_chain_in_a_multiplier_that_keeps_results(options):
    params = GENERIC(multiplier="keyed", word_width=4, **options)
    report = verify(params, vectors=4)
    assert report.ok, report.message
    assert report.constant_time


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
    assert [field.words for field in params.key_operands.fields] == [4, 2, 20, 4]
    assert len(words) == 30
    assert from_words(words[:4], 4) == modulus
    assert words[4:6] == [4, 0]  # digits
    # Four digits of three bits, of 80 bits.
    assert from_words(words[6:26][::-1], 4) == exponent << 68
    assert from_words(words[26:], 4) == (1 << 26) % modulus
    assert params.encode(7) == params.encode(7, exponent, modulus) == [7, 0, 0, 0]
    with pytest.raises(ValueError, match="Operand base"):
        params.encode(1 << 16)


AROUND = ["keyed", "mmm_mx_1d pe_width=4", "mmm_mx_2d", "single_dsp",
          "dsp_systolic digit_width=4 quotient=delayed"]


def _operation(params, vector, key):
    """Return testbench functions that send a key, and do an exponentiation."""
    core = params.create()

    async def send(ctx):
        await offer(ctx, core.k, key or params.encode_key(*vector[1:]))

    async def result(ctx):
        await offer(ctx, core.i, params.encode(*vector))
        return params.decode(await receive(ctx, core.o, params.result_words))

    return core, send, result


@pytest.mark.parametrize("multiplier", AROUND)
def test_a_key_that_is_withdrawn_changes_nothing(multiplier):
    params = GENERIC(width=6, word_width=4, multiplier=multiplier, window=1)
    vector = (5, 9, 61)
    core, send, result = _operation(params, vector, None)

    async def testbench(ctx):
        await send(ctx)
        while not ctx.get(core.k.ready):
            await ctx.tick()
        assert await result(ctx) == pow(*vector)
        # It is offered while no word of it is taken.
        ctx.set(core.i.valid, 1)
        while ctx.get(core.k.ready):
            await ctx.tick()
        ctx.set(core.k.valid, 1)
        await ctx.tick()
        ctx.set(core.k.valid, 0)
        assert await result(ctx) == pow(*vector)

    run(core, testbench)


@pytest.mark.parametrize("count", [0, -1])
@pytest.mark.parametrize("multiplier", AROUND)
def test_a_wrong_number_of_digits_ends(multiplier, count):
    """None, or as many as the words can say: a result comes, and the next key is right."""
    params = GENERIC(width=6, word_width=4, multiplier=multiplier, window=2)
    vector = (5, 9, 61)
    key = params.encode_key(*vector[1:])
    names = [field.name for field in params.key_operands.fields for _ in range(field.words)]
    wrong = [count & 15 if name == "digits" else word
             for name, word in zip(names, key, strict=True)]
    core, send, result = _operation(params, vector, wrong)

    async def testbench(ctx):
        await send(ctx)
        await result(ctx)
        await offer(ctx, core.k, key)
        assert await result(ctx) == pow(*vector)

    run(core, testbench)


def test_each_product_takes_the_clocks_of_the_multiplier():
    params = GENERIC(width=64, multiplier="keyed", word_width=64, window=4)
    short, long = (cycles_of(params, 3, 0, top(params), exponent_bits=bits).compute
                   for bits in (8, 64))
    assert long - short == 14 * 5 * params.inner.cycles.interval
