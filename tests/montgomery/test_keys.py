"""When cores take another key: as soon as they have computed, whether or not results are taken."""

import pytest
from bench import keys_of, offer, receive, run
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


@pytest.mark.parametrize("params", list(_cores()))
def test_a_key_does_not_wait_for_a_result_to_be_taken(params):
    """Nor does what is written of it change the result."""
    vectors = random_vectors(params, 2, SEED)
    component = params.create()
    first, second = keys_of(params, vectors)
    assert first != second

    async def testbench(ctx):
        await offer(ctx, component.k, first)
        await offer(ctx, component.i, params.encode(*vectors[0]))
        await offer(ctx, component.k, second)
        for vector, words in zip(vectors, ([], params.encode(*vectors[1])), strict=True):
            await offer(ctx, component.i, words)
            found = await receive(ctx, component.o, params.result_words)
            assert params.decode(found) == params.compute(*vector), f"{vector} seed {SEED}"

    run(component, testbench)


@pytest.mark.parametrize("delay", range(3))
@pytest.mark.parametrize("params", list(_cores()))
def test_an_operation_has_the_key_that_came_before_it(params, delay):
    """Whichever goes first, when a key is offered some clocks after an operation."""
    vectors = random_vectors(params, 2, SEED)
    keys = [key_of(params, *vector) for vector in vectors]
    inputs = range(2, 2 + len(vectors[0]) - len(keys[0]))
    words = {"i": params.encode(*inputs), "k": params.encode_key(*keys[1])}
    begun, sent = {}, dict.fromkeys(words, 0)
    component = params.create()

    async def testbench(ctx):
        await offer(ctx, component.k, params.encode_key(*keys[0]))
        await offer(ctx, component.i, params.encode(*inputs))
        await receive(ctx, component.o, params.result_words)
        clock = 0
        while any(sent[name] < len(words[name]) for name in words):
            for name, begins in (("i", 0), ("k", delay)):
                port, left = getattr(component, name), words[name][sent[name]:]
                ctx.set(port.valid, bool(left) and clock >= begins)
                ctx.set(port.payload, left[0] if left else 0)
            for name in words:
                port = getattr(component, name)
                if ctx.get(port.valid & port.ready):
                    begun.setdefault(name, clock)
                    sent[name] += 1
            await ctx.tick()
            clock += 1
            assert clock < 20_000, f"{sent} words of {words} were taken"
        for name in words:
            ctx.set(getattr(component, name).valid, 0)
        found = await receive(ctx, component.o, params.result_words)
        assert begun["i"] != begun["k"]
        key = keys[begun["k"] < begun["i"]]
        assert params.decode(found) == params.compute(*inputs, *key), f"{begun} seed {SEED}"

    run(component, testbench)


@pytest.mark.parametrize("params", [
    pytest.param(cls(width=legal_width(cls, 16)), id=name) for name, cls in architectures().items()
    if cls(width=legal_width(cls, 16)).k_words])
def test_a_key_and_an_operation_that_are_offered_together_take_turns(params):
    """Whenever that is while a multiplication is under way, or after it."""
    vectors = random_vectors(params, 2, SEED)
    keys = [key_of(params, *vector) for vector in vectors]
    inputs = (2, 3)
    component, count = params.create(), params.result_words
    cycles = params.cycles
    found, expected, begun = [], [], {}

    async def testbench(ctx):
        async def tick():
            """Note what is accepted and what comes in this clock."""
            for name in "ik":
                port = getattr(component, name)
                if ctx.get(port.valid & port.ready):
                    begun.setdefault(name, clock)
                    left[name].pop(0)
            if ctx.get(component.o.valid):
                found.append(ctx.get(component.o.payload))
            await ctx.tick()

        def present(names):
            for name in "ik":
                port = getattr(component, name)
                ctx.set(port.valid, name in names and bool(left[name]))
                ctx.set(port.payload, left[name][0] if left[name] else 0)

        ctx.set(component.o.ready, 1)
        await offer(ctx, component.k, params.encode_key(*keys[0]))
        clock, old = 0, 0
        for start in range(cycles.load + cycles.compute + count):
            left = {"i": params.encode(*inputs), "k": []}
            while left["i"]:
                present("i")
                await tick()
            expected.append(params.compute(*inputs, *keys[old]))
            left = {"i": params.encode(*inputs), "k": params.encode_key(*keys[1 - old])}
            begun.clear()
            for clock in range(20_000):
                present("ik" if clock >= start else "")
                await tick()
                if not any(left.values()):
                    break
            assert len(begun) == 2
            assert begun["i"] != begun["k"], f"both at once, {start} clocks after an operation"
            expected.append(params.compute(*inputs, *keys[1 - old if begun["k"] < begun["i"]
                                                          else old]))
            old = 1 - old
        present("")
        while len(found) < count * len(expected):
            await tick()
        assert [params.decode(found[place:place + count])
                for place in range(0, len(found), count)] == expected, f"seed {SEED}"

    run(component, testbench)
