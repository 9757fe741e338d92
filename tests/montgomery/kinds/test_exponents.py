"""Exponents that are longer than a core, or hidden, and keys that no host sends."""

import pytest
from bench import offer, receive, run, stream, transfer
from cases import top

from explore.simulation.kinds import adapter
from montgomery import exponentiators, rsa_crt
from montgomery.core import cycles_of, key_of, traits

#: One whose bits can be told from the time, and others.
HIDING = [(exponentiators()[name](width=13, word_width=16, window=2), 1) for name in (
    "cox_rower", "dsp_systolic", "generic", "single_dsp")]
HIDING.append((exponentiators()["single_dsp"](width=13, word_width=16, method="binary"), 3))


@pytest.mark.parametrize(("params", "different"), HIDING, ids=str)
def test_length_of_a_secret_exponent_may_be_hidden(params, different):
    modulus, bits = top(params), params.width
    given = [(2, exponent, modulus) for exponent in (0, 1, 5)]
    assert len({cycles_of(params, *vector, exponent_bits=bits) for vector in given}) == different
    found = stream(params, given, exponent_bits=bits,
                   patience=10 * cycles_of(params, *given[-1], exponent_bits=bits).interval)
    for vector, result in zip(given, found, strict=True):
        assert result == pow(*vector) == params.compute(*vector, exponent_bits=bits)


@pytest.mark.parametrize("check", [{}, {"check": "none"}])
@pytest.mark.parametrize("name", rsa_crt())
def test_lengths_of_exponents_with_crt_may_be_hidden(name, check):
    params = rsa_crt()[name](width=13, word_width=8, **check)
    given, bits = adapter(params), params.factor_width
    _, exponent_p, exponent_q, p, q = given.longest()
    vectors = [(2, exponent_p % (p - 1), exponent_q % (q - 1), p, q), given.longest()]
    if not traits(params).checks:  # otherwise it takes keys of RSA alone
        vectors += [(2, *each, p, q) for each in ((0, 0), (1, 5), ((1 << bits) - 1, 1))]
    assert len({cycles_of(params, *vector, exponent_bits=bits) for vector in vectors}) == 1
    for vector in vectors:
        assert params.compute(*vector, exponent_bits=bits) == given.golden(*vector)
        assert len(params.encode(*vector, exponent_bits=bits)) == len(params.encode(*vector))


#: Around each way to multiply, with exponents of several lengths.
LONG = [("generic", {"width": 6, "word_width": 4, "window": 2, "multiplier": multiplier},
         (5, 61), (70,)) for multiplier in (
             "mmm_mx_1d pe_width=4", "dsp_systolic digit_width=4 quotient=delayed")]
LONG += [("single_dsp", {"width": 12, "word_width": word_width, "window": 2}, (5, 4001),
          (76, 12, 17, 18)) for word_width in (4, 17)]
LONG += [("dsp_systolic", {"width": 12, "word_width": 6, "window": 3, "quotient": "delayed"},
          (5, 4093), (76, 75, 70))]


@pytest.mark.parametrize(("name", "given", "numbers", "lengths"), LONG)
def test_an_exponent_may_be_64_bits_longer(name, given, numbers, lengths):
    """For a host that adds a multiple of the order of the group."""
    params, (base, modulus) = exponentiators()[name](**given), numbers
    vectors = [(base, (1 << bits) - 3, modulus) for bits in lengths]
    assert [params.compute(*vector) for vector in vectors] == [pow(*each) for each in vectors]
    patience = 2 * max(cycles_of(params, *vector).interval for vector in vectors) + 1000
    assert stream(params, vectors, patience=patience) == [pow(*vector) for vector in vectors]


GENERIC = exponentiators()["generic"]
#: Multipliers that keep their key, or take one with each product; some keep results.
AROUND = ("multi_step pe_width=4 steps=2", "mmm_mx_1d pe_width=4", "mmm_mx_2d", "single_dsp",
          "dsp_systolic digit_width=4 quotient=delayed")


@pytest.mark.parametrize("multiplier", AROUND)
def test_a_key_that_is_withdrawn_changes_nothing(multiplier):
    params = GENERIC(width=6, word_width=4, multiplier=multiplier, window=1)
    vector, core = (5, 9, 61), params.create()

    async def check_result(ctx):
        await offer(ctx, core.i, params.encode(*vector))
        words = await receive(ctx, core.o, params.result_words)
        assert params.decode(words) == pow(*vector)

    async def testbench(ctx):
        await offer(ctx, core.k, params.encode_key(*vector[1:]))
        while not ctx.get(core.k.ready):
            await ctx.tick()
        await check_result(ctx)
        # It is offered while no word of it is taken.
        ctx.set(core.i.valid, 1)
        while ctx.get(core.k.ready):
            await ctx.tick()
        ctx.set(core.k.valid, 1)
        await ctx.tick()
        ctx.set(core.k.valid, 0)
        await check_result(ctx)

    run(core, testbench)


@pytest.mark.parametrize("most", [False, True])
@pytest.mark.parametrize("params", [
    *(GENERIC(width=6, word_width=4, multiplier=multiplier, window=2) for multiplier in AROUND),
    exponentiators()["cox_rower"](width=8, word_width=8, window=4)], ids=str)
def test_a_wrong_number_of_digits_ends(params, most):
    """None, or as many as the words can say: a result comes, and the next one is right."""
    inputs = adapter(params).longest()
    key, words = params.encode_key(*key_of(params, *inputs)), params.encode(*inputs)
    names = [field.name for field in params.key_operands.fields for _ in range(field.words)]
    count = (1 << params.word_width) - 1 if most else 0
    wrong = [count if name == "digits" else word for name, word in zip(names, key, strict=True)]
    assert wrong != key
    done = transfer(params.create(), 2 * words, 2 * params.result_words,
                    keys={0: wrong, len(words): key}, patience=40_000)
    assert params.decode(done.words[params.result_words:]) == params.compute(*inputs)
