"""One core for keys with CRT and without, against Python, its model and its formula."""

import dataclasses
import random

import cox_rower_clocks as clocks
import pytest
from bench import Resettable, operate, run, stream

from montgomery import exponentiators, rsa_crt

SEED = 2001


def _params(**given):
    return rsa_crt()["cox_rower"](keys="both", **given)


def _with_crt(params, rng, bits, lengths=None):
    """Return an operation whose factors are of the full length, or of some lengths."""
    while True:
        p, q = (rng.getrandbits(length) | 1 << length - 1 | 1
                for length in lengths or [params.factor_width] * 2)
        try:
            params.check_operands(0, 0, 0, p, q)
        except ValueError:
            continue
        return rng.randrange(p * q), rng.getrandbits(bits), rng.getrandbits(bits), p, q


def _without(params, rng, bits, length=None):
    length = length or params.factor_width
    modulus = params.usable_factor(rng.getrandbits(length) | 1 << length - 1 | 1)
    return params.without_crt(modulus - rng.randint(1, 2), rng.getrandbits(bits), modulus)


def _golden(message, exponent_p, exponent_q, p, q):
    if q == 1:
        return pow(message, exponent_p, p)
    found = rsa_crt()["cox_rower"].golden(message, exponent_p, exponent_q, p, q)
    assert found % p == pow(message, exponent_p, p)
    assert found % q == pow(message, exponent_q, q)
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize(("given", "bits"), [
    ({"width": 24, "word_width": 8, "rowers": 2, "window": 1}, 5),
    ({"width": 16, "word_width": 8, "rowers": 1, "window": 3}, 4),
    ({"width": 60, "word_width": 12, "rowers": 2, "shortest": 20, "window": 2}, 3)])
def test_results_and_cycles(given, bits):
    """Keys of both kinds and of several lengths in turn, so that nothing of another one is left."""
    rng = random.Random(f"{SEED} {given}")
    params = _params(**given)
    half = params.factor_width
    vectors = [_without(params, rng, bits), _with_crt(params, rng, bits),
               _without(params, rng, bits, half // 3),
               _with_crt(params, rng, bits, (half // 3 + 1, half)), _without(params, rng, bits)]
    if params.shortest:
        assert {params.rns(*vector[3:]).bases.n for vector in vectors[::2]} == {2, 4}
    component = params.create()

    async def testbench(ctx):
        for vector in vectors:
            words, cycles = await operate(ctx, component, params, vector, patience=20000)
            found = params.decode(words)
            assert found == params.compute(*vector) == _golden(*vector), f"{vector} seed {SEED}"
            expected = params.cycles_of(*vector)
            assert dataclasses.replace(cycles, interval=expected.interval) == expected, (
                f"{vector} seed {SEED}")

    run(component, testbench)


SMALL = {"width": 24, "word_width": 8, "rowers": 2, "window": 1}


def test_a_key_of_the_other_kind_in_mid_operation():
    """It is offered from the first clock of an operation on, and the result waits to be taken."""
    rng = random.Random(SEED)
    params = _params(**SMALL)
    vectors = [make(params, rng, 2) for make in (_with_crt, _without, _with_crt, _without)]
    wait = max(params.cycles_of(*vector).load_key for vector in vectors)
    size = params.result_words
    # The first word is left until the next key has been prepared, others for some clocks.
    found = stream(params, vectors, patience=20000,
                   get_after=lambda index: rng.choice((0, 3)) if index % size else wait,
                   put_after=lambda index: rng.choice((0, 0, 5)))
    assert found == [_golden(*vector) for vector in vectors]


@pytest.mark.parametrize("single", [False, True])
def test_a_reset_before_a_key_of_the_other_kind(single):
    """While a key comes, divides and is prepared, and in an operation."""
    rng = random.Random(SEED)
    params = _params(**SMALL)
    first, second = (_without, _with_crt) if single else (_with_crt, _without)
    before, after = first(params, rng, 3), second(params, rng, 1)
    cycles = params.cycles_of(*before)
    core = Resettable(params)

    async def testbench(ctx):
        for clock in (1, params.header_words, cycles.load_key // 2,
                      cycles.load_key + cycles.load + cycles.compute // 2):
            await operate(ctx, core, params, before, clocks=clock, patience=20000)
            ctx.set(core.reset, 1)
            await ctx.tick()
            ctx.set(core.reset, 0)
            words, measured = await operate(ctx, core, params, after, patience=20000)
            assert params.decode(words) == _golden(*after), f"after a reset in clock {clock}"
            expected = params.cycles_of(*after)
            assert (measured.load_key, measured.compute) == (expected.load_key, expected.compute)

    run(core, testbench)


def test_messages_of_one_key_without_crt():
    """With all of the small messages, of which some are corrected by N and some by 2N."""
    params = _params(**SMALL | {"word_width": 9, "rowers": 3})
    vectors = [params.without_crt(message, 3, 7) for message in range(7)]
    assert stream(params, vectors, patience=20000) == [_golden(*vector) for vector in vectors]


def test_models_of_all_messages():
    params = _params(width=16, word_width=8)
    for modulus in (3, 21, 249):
        for message in range(modulus):
            vector = params.without_crt(message, 53, modulus)
            assert params.compute(*vector) == pow(message, 53, modulus)


@pytest.mark.parametrize(("bits", "paper"), [(1024, 336000), (2048, 2336000)])
def test_clocks_of_the_paper(bits, paper):
    """The chip of Table 1: 2048 bits without CRT where 4096 bits are the most with it."""
    chip = {"width": 4096, "shortest": 1024}
    modulus = _params(**chip).usable_factor((1 << bits) - 1)
    for window in (4, 5):
        params = _params(**chip, window=window)
        cycles = params.cycles(*params.without_crt(0, 1, modulus), exponent_bits=bits)
        assert cycles.compute <= paper
        assert f"{cycles.compute:,}" in clocks.__doc__
        alone = exponentiators()["cox_rower"](width=bits, window=window)
        own = alone.cycles(0, 1, modulus, exponent_bits=bits)
        assert own.compute < cycles.compute < 1.02 * own.compute


def test_a_key_with_crt_takes_what_it_takes_alone():
    params = _params(width=2048)
    alone = rsa_crt()["cox_rower"](width=2048)
    vector = alone.longest
    cycles, own = params.cycles_of(*vector), alone.cycles_of(*vector)
    assert cycles == dataclasses.replace(own, load_key=own.load_key + 1)
    factors, *key = params.encode_key(*vector[1:])
    assert factors == 2
    assert key == alone.encode_key(*vector[1:])
    factors, *_ = params.encode_key(*params.without_crt(0, 3, vector[3])[1:])
    assert factors == 1


def test_refusals():
    params = _params(width=16, word_width=8)
    good = params.without_crt(5, 3, 249)
    for place, value, error, message in (
            (0, 249, ValueError, "Operand message must be from 0 to 248"),
            (2, 3, ValueError, "Operand exponent_q must be 0 with q = 1, which is a key without "
             "CRT, not 3; give the exponent as exponent_p"),
            (3, 257, ValueError, "Factor p must have 8 bits or fewer, .*; choose width 18"),
            (3, params.multiplier.rns.bases.b[-1], ValueError, "coprime to base b"),
            (4, 2, ValueError, r"Factor q must be 3 or larger, not 2; .* 3, or 1 as q without"),
            (4, True, TypeError, "Factor q must be an integer, not True")):
        wrong = (*good[:place], value, *good[place + 1:])
        for method in (params.compute, params.encode, params.cycles):
            with pytest.raises(error, match=message):
                method(*wrong)
    with pytest.raises(ValueError, match=r"Factor q must be 3 or larger, not 1; .* factor is 3$"):
        rsa_crt()["cox_rower"](width=16, word_width=8).compute(*good)
    with pytest.raises(ValueError, match="Keys must be one of crt, both, not 'any'"):
        dataclasses.replace(params, keys="any")
