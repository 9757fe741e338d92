"""Hash cores that wait at each word, are reset in each clock, and are sent too much."""

import random

import pytest
from bench import transfer

from explore.simulation import simulate
from montgomery import hashes
from montgomery.kinds.hash import END

SEED = 180


def number(octets):
    return int.from_bytes(octets, "big")


def _two(params):
    """Return an operation of two blocks and, if it has any, three digests; and one after it."""
    rng = random.Random(SEED)
    more = [(45,), (7,)] if params.inputs[2:] else [(), ()]
    return [(number(rng.randbytes(size)), size, *rest)
            for size, rest in zip((58, 1), more, strict=True)]


TWO = [pytest.param(cls(width=464), id=cls.name()) for cls in hashes().values()]


@pytest.mark.parametrize("params", TWO)
def test_a_pause_at_each_word(params):
    vectors = _two(params)
    words = [word for vector in vectors for word in params.encode(*vector)]
    expected = [word for vector in vectors for word in params.result(*vector)]
    for clocks in (1, 200):
        # Longer than a block takes: all that can go on does.
        for sends in (True, False):
            done = transfer(params.create(), words, len(expected), patience=20000,
                            put_after=lambda index, clocks=clocks, sends=sends: clocks * sends,
                            get_after=lambda index, clocks=clocks, sends=sends:
                            clocks * (not sends))
            assert done.words == expected


@pytest.mark.parametrize("params", TWO)
def test_a_reset_in_each_clock(params, compiled):
    first, second = _two(params)
    engine = compiled.engine(params)
    cycles = params.cycles_of(*first)
    results = [params.golden(*vector) for vector in (second, first)]
    for clock in range(1, cycles.load + cycles.compute + cycles.unload + 1):
        # What runs before the reset is the same operations.
        assert simulate(params, [first], engine=engine, prelude=clock).products == results[1:]
        if clock % 16 == 0:
            assert simulate(params, [second, first], engine=engine,
                            prelude=clock).products == results


class Lax:
    """Parameters whose ``encode`` passes lists of words on as they are."""

    def __init__(self, params):
        self._params = params

    def __getattr__(self, name):
        return getattr(self._params, name)

    def encode(self, *inputs):
        return inputs[0] if isinstance(inputs[0], list) else self._params.encode(*inputs)

    def cycles_of(self, *inputs):
        return self._params.cycles_of(*self._params.longest)


@pytest.mark.parametrize("params", TWO)
def test_what_is_too_long_does_not_reach_the_next_message(params, compiled):
    head = [0xff] * (len(params.encode(*params.longest)) - params.most_octets - 1)
    valid = _two(params)
    for octets in (params.most_octets + 1, 2 * params.most_octets, 300):
        vectors = [valid[0], ([*head, *[0x5a] * octets, END],), valid[1], valid[0]]
        done = simulate(Lax(params), vectors, engine=compiled.engine(params))
        assert [done.products[index] for index in (0, 2, 3)] == [
            params.golden(*valid[index]) for index in (0, 1, 0)]
