"""When cores take another key: as soon as they have computed, whether or not results are taken."""

import pytest
from bench import drive, keys_of, offer, receive, simulated
from cases import legal_width

from explore.simulation import random_vectors
from montgomery import KINDS, architectures, exponentiators
from montgomery.core import key_of

SEED = 2010


def _cores():
    for kind in KINDS.values():
        for name, cls in kind.cores().items():
            if cls(width=legal_width(cls, 16)).k_words:
                yield pytest.param(cls(width=legal_width(cls, 16)), id=kind.full_name(name))
    # Words of it go to one of several.
    yield exponentiators()["single_dsp"](width=11, word_width=8, processors=2)


@pytest.mark.parametrize("count", [1, None])
@pytest.mark.parametrize("params", list(_cores()))
def test_a_key_and_a_result_do_not_wait_for_each_other(params, count):
    """A key, or its first word, is taken before a result, which does not change for that."""
    vectors = random_vectors(params, 2, SEED)
    core = simulated(params)
    component = core.component
    first, second = keys_of(params, vectors)
    assert first != second

    async def check_result(ctx, vector):
        found = await receive(ctx, component.o, params.result_words)
        assert params.decode(found) == params.compute(*vector), f"{vector} seed {SEED}"

    async def testbench(ctx):
        await offer(ctx, component.k, first)
        await offer(ctx, component.i, params.encode(*vectors[0]))
        await offer(ctx, component.k, second[:count])
        await check_result(ctx, vectors[0])
        await offer(ctx, component.k, second[len(second[:count]):])
        await offer(ctx, component.i, params.encode(*vectors[1]))
        await check_result(ctx, vectors[1])

    core.run(testbench)


@pytest.mark.parametrize("delay", range(3))
@pytest.mark.parametrize("params", list(_cores()))
def test_an_operation_has_the_key_that_came_before_it(params, delay):
    """Whichever goes first, when a key is offered some clocks after an operation."""
    vectors = random_vectors(params, 2, SEED)
    keys = [key_of(params, *vector) for vector in vectors]
    inputs = range(2, 2 + len(vectors[0]) - len(keys[0]))
    words = {"i": params.encode(*inputs), "k": params.encode_key(*keys[1])}
    core = simulated(params)
    component = core.component

    async def testbench(ctx):
        await offer(ctx, component.k, params.encode_key(*keys[0]))
        await offer(ctx, component.i, params.encode(*inputs))
        await receive(ctx, component.o, params.result_words)
        moved = await drive(ctx, component, words, lambda moved: not any(words.values()),
                            begins={"k": delay})
        begun = {name: clock for clock, name in reversed(moved)}
        found = await receive(ctx, component.o, params.result_words)
        assert begun["i"] != begun["k"]
        key = keys[begun["k"] < begun["i"]]
        assert params.decode(found) == params.compute(*inputs, *key), f"{begun} seed {SEED}"

    core.run(testbench)


@pytest.mark.parametrize("params", [
    pytest.param(cls(width=legal_width(cls, 16)), id=name) for name, cls in architectures().items()
    if cls(width=legal_width(cls, 16)).k_words])
def test_a_key_and_an_operation_that_are_offered_together_take_turns(params):
    """Whenever that is while a multiplication is under way, or after it."""
    vectors = random_vectors(params, 2, SEED)
    keys = [key_of(params, *vector) for vector in vectors]
    inputs = (2, 3)
    core, count = simulated(params), params.result_words
    component = core.component
    cycles = params.cycles
    found, expected = [], []

    async def testbench(ctx):
        async def accepted(left, start=0):
            moved = await drive(ctx, component, left, lambda moved: not any(left.values()),
                                begins=start, found=found)
            return {name: clock for clock, name in reversed(moved)}

        await offer(ctx, component.k, params.encode_key(*keys[0]))
        old = 0
        for start in range(cycles.load + cycles.compute + count):
            await accepted({"i": params.encode(*inputs)})
            expected.append(params.compute(*inputs, *keys[old]))
            begun = await accepted({"i": params.encode(*inputs),
                                    "k": params.encode_key(*keys[1 - old])}, start)
            assert begun["i"] != begun["k"], f"both at once, {start} clocks after an operation"
            expected.append(params.compute(*inputs, *keys[1 - old if begun["k"] < begun["i"]
                                                          else old]))
            old = 1 - old
        await drive(ctx, component, {}, lambda moved: len(found) == count * len(expected),
                    found=found)

    core.run(testbench)
    assert [params.decode(found[place:place + count])
            for place in range(0, len(found), count)] == expected, f"seed {SEED}"
