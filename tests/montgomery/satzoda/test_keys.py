"""When the one-dimensional cores take a key, and when a multiplication."""

import random

import cases
import pytest
from bench import run

from montgomery import architectures
from montgomery.satzoda.radix2 import Radix2Parameters

SEED = 23
ALL = [pytest.param(cls(width=13, pe_width=pe_width, word_width=word_width, **variant),
                    id="-".join([name, str(word_width), *map(str, variant.values())]))
       for name, cls in architectures().items() if issubclass(cls, Radix2Parameters)
       for variant in cases.variants(cls) for pe_width, word_width in ((4, 4), (4, 8), (16, 16))]
EACH = pytest.mark.parametrize("params", ALL)


def _drive(params, keys, multiplications, *, clocks, take_from=0, key_after=None):
    """Offer all words at once.

    Parameters
    ----------
    keys : list of :class:`int`
        Moduli.
    clocks : :class:`int`
        Clocks to run.
    take_from : :class:`int`
        The first clock in which results are taken.
    key_after : :class:`int` or ``None``
        All keys but the first are offered after so many multiplications have begun, and all
        multiplications after these wait for the keys.

    Returns
    -------
    tuple of list of :class:`int`
        The clocks in which words were accepted, of keys and of operands; and the results.
    """
    core = params.create()
    keys = [word for key in keys for word in params.encode_key(key)]
    words = [word for each in multiplications for word in params.encode(*each)]
    size, first_key = params.result_words, len(params.encode_key(3))
    count = len(params.encode(0, 0, 3))
    keyed, sent, received = [], [], []

    async def testbench(ctx):
        for clock in range(clocks):
            offers_key, offers = len(keyed) < len(keys), len(sent) < len(words)
            if key_after is not None:
                offers_key &= len(keyed) < first_key or len(sent) > (key_after - 1) * count
                offers &= len(sent) < key_after * count or len(keyed) == len(keys)
            ctx.set(core.k.valid, offers_key)
            ctx.set(core.k.payload, keys[len(keyed)] if offers_key else 0)
            ctx.set(core.i.valid, offers)
            ctx.set(core.i.payload, words[len(sent)] if offers else 0)
            ctx.set(core.o.ready, clock >= take_from)
            *_, key, word, valid, payload = await ctx.tick().sample(
                core.k.ready, core.i.ready, core.o.valid, core.o.payload)
            if offers_key and key:
                keyed.append(clock)
            if offers and word:
                sent.append(clock)
            if valid and clock >= take_from:
                received.append(payload)

    run(core, testbench)
    return keyed, sent, [params.decode(received[start:start + size])
                         for start in range(0, len(received), size)]


def _multiplications(modulus, count):
    rng = random.Random(SEED)
    return [(rng.randrange(2 * modulus), rng.randrange(2 * modulus), modulus)
            for _ in range(count)]


def _products(params, multiplications):
    return [params.compute(*each) for each in multiplications]


@EACH
def test_nothing_is_accepted_without_a_key(params):
    keyed, sent, _ = _drive(params, [], [(1, 1, 3)], clocks=4 * params.cycles.interval)
    assert (keyed, sent) == ([], [])


@EACH
def test_keys_go_before_multiplications_that_are_offered_too(params):
    modulus = params.longest[-1]
    multiplications = _multiplications(modulus, 1)
    keyed, sent, results = _drive(params, [3, 5, modulus], multiplications,
                                  clocks=10 * params.cycles.interval)
    assert max(keyed) < min(sent)
    assert results == _products(params, multiplications)


@EACH
def test_there_is_room_for_two_results(params):
    modulus, pause = params.longest[-1], 8 * params.cycles.interval
    multiplications = _multiplications(modulus, 6)
    _, sent, results = _drive(params, [modulus], multiplications, clocks=2 * pause,
                              take_from=pause)
    count = len(sent) // 6
    # Two and no more, but for what waits at the port in registers: all of a short result.
    assert sent[2 * count - 1] < pause - params.cycles.interval
    assert sent[-1] >= pause
    assert results == _products(params, multiplications)


@EACH
@pytest.mark.parametrize("begun", [1, 2])
def test_a_key_waits_for_multiplications_and_not_for_the_receiver(params, begun):
    modulus, other = params.longest[-1], 5
    pause = 5 * params.cycles.interval
    multiplications = _multiplications(modulus, begun) + _multiplications(other, 2)
    keyed, sent, results = _drive(params, [modulus, other], multiplications, clocks=2 * pause,
                                  take_from=pause, key_after=begun)
    count = len(sent) // (begun + 2)
    assert sent[begun * count - 1] < keyed[len(keyed) // 2]
    assert keyed[-1] < pause - params.cycles.interval
    assert results == _products(params, multiplications)
