"""RSA with CRT on the DSP array: full-length keys, keys that change, and results that are wrong."""

import dataclasses
import random

import pytest
from bench import run

from explore.simulation import verify
from montgomery.dsp_systolic.rsa_crt import Parameters

QUOTIENTS = ("plain", "scaled", "delayed")
SEED = 2024


async def _send(ctx, port, words, pauses=0):
    for index, word in enumerate(words):
        if pauses and index % pauses == 0:
            await ctx.tick().repeat(pauses)
        ctx.set(port.payload, word)
        ctx.set(port.valid, 1)
        await ctx.tick().until(port.ready)
        ctx.set(port.valid, 0)


async def _receive(ctx, port, count, pauses=0):
    words = []
    for index in range(count):
        if pauses and index % pauses == 0:
            ctx.set(port.ready, 0)
            await ctx.tick().repeat(pauses)
        ctx.set(port.ready, 1)
        word, = await ctx.tick().sample(port.payload).until(port.valid)
        words.append(word)
    ctx.set(port.ready, 0)
    return words


def _key(params, seed=SEED):
    p, q, *exponents = params.random_key(random.Random(seed))
    return *exponents, p, q


@pytest.mark.parametrize("quotient", QUOTIENTS)
@pytest.mark.parametrize("width", [1024, 1025])
def test_models_sign_with_long_keys(width, quotient):
    params = Parameters(width=width, word_width=18, quotient=quotient)
    key = _key(params)
    message = random.Random(SEED).randrange(key[2] * key[3])
    assert params.compute(message, *key) == params.golden(message, *key)


@pytest.mark.sample(1)
@pytest.mark.parametrize("arrays", [1, 2])
def test_the_fewest_digits_and_the_widest(arrays, compiled):
    """The steps are shortest, so that what is late comes last; counters of bits go farthest."""
    params = Parameters(width=8, word_width=18, quotient="plain", window=2, arrays=arrays)
    assert params.digits == 2
    report = verify(params, vectors=1, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time is True
    assert report.cycles == dataclasses.asdict(params.cycles_of(*params.longest))


@pytest.mark.parametrize("quotient", QUOTIENTS)
def test_keys_change_in_mid_operation(quotient):
    """With a receiver that makes the core wait, and words of keys and messages that come late."""
    params = Parameters(width=20, word_width=8, quotient=quotient, window=2)
    keys = [_key(params, seed) for seed in (1, 2)]
    assert keys[0] != keys[1]
    messages = [[3, 5], [7]]
    core = params.create()
    results = []

    async def send_keys(ctx):
        await _send(ctx, core.k, params.encode_key(*keys[0]), 7)
        # The first operation has begun; this key waits for it.
        await ctx.tick().until(core.i.ready)
        await ctx.tick().repeat(params.result_words + 20)
        await _send(ctx, core.k, params.encode_key(*keys[1]), 7)

    async def send_messages(ctx):
        await _send(ctx, core.i, params.encode(messages[0][0], *keys[0]), 3)
        await _send(ctx, core.i, params.encode(messages[1][0], *keys[1]))

    async def receive(ctx):
        for _ in range(2):
            results.append(params.decode(await _receive(ctx, core.o, params.result_words, 3)))

    run(core, send_keys, send_messages, receive)
    assert results == [params.golden(3, *keys[0]), params.golden(7, *keys[1])]


@pytest.mark.thorough
@pytest.mark.parametrize("part", ["public", "leaves_p", "squared_r_q", "exponent_p", "factor_q"])
def test_a_wrong_result_does_not_leave_the_core(part):
    """A word of the key is wrong, which is one of a thousand ways to a wrong result."""
    params = Parameters(width=20, word_width=8, window=2, quotient="delayed")
    key = _key(params)
    words, start = params.encode_key(*key), 0
    for name, size in params.key_parts:
        if name == part:
            # Exponents and the public one begin with the word that is used first.
            words[start] ^= 0x40 if part in ("public", "exponent_p") else 2
        start += size
    core = params.create()
    received = []

    async def send(ctx):
        await _send(ctx, core.k, words)
        await _send(ctx, core.i, params.encode(1234, *key))
        received.extend(await _receive(ctx, core.o, params.result_words))

    run(core, send)
    assert set(received) == {0xff}
    with pytest.raises(ValueError, match="must be the message, but was not"):
        params.decode(received)


def test_an_unchecked_core_gives_what_it_found():
    params = Parameters(width=20, word_width=8, window=2, quotient="delayed", check="none")
    assert not params.checks
    assert params.compute(1234, 4, 6, 1001, 1003) == params.golden(1234, 4, 6, 1001, 1003)


def test_a_key_without_public_exponent_is_refused():
    params = Parameters(width=20)
    for wrong, message in (((3, 3, 1001, 1009), "Factor p must be a prime"),
                           ((2, 3, 1013, 1009), "must have inverses modulo p - 1"),
                           ((1, 11, 1013, 1009), "inverses of one public exponent")):
        with pytest.raises(ValueError, match=message):
            params.compute(5, *wrong)
