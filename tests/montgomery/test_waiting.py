"""A result never waits for words of another operation or key, also after some of them came."""

import itertools

import pytest
from bench import drive, simulated
from cases import each_core

from explore.simulation import random_vectors
from montgomery.core import expected_words, key_of

SEED = 20
QUICK = each_core({"hash": 64})


def _first(words, share):
    """Return the first word, or all but the last one, or none."""
    return {"none": [], "one": words[:1], "most": words[:-1]}[share]


@pytest.mark.sample(3, each_core=True)
@pytest.mark.parametrize(("of_operation", "of_key", "before"), [
    ("one", "none", 1), ("none", "one", 1), ("one", "one", 3), ("none", "most", 3),
    ("most", "none", 3)])
@pytest.mark.parametrize("params", QUICK)
def test_what_is_under_way_ends(params, of_operation, of_key, before):
    """With some words of the next operation, of the next key, or of both."""
    if of_key != "none" and not params.k_words:
        pytest.skip("has no key")
    core, size, found = simulated(params), params.result_words, []
    keys = [key_of(params, *vector) for vector in random_vectors(params, 2, SEED)]
    vectors = random_vectors(params, before + 2, SEED)
    if params.k_words:  # small numbers, which go with either key
        count = len(vectors[0]) - len(keys[0])
        vectors = [(*range(2 + at, 2 + at + count), *keys[0]) for at in range(before + 2)]
    words = [params.encode(*vector[:count] if params.k_words else vector) for vector in vectors]
    cycles = params.cycles
    patience = 1000 + 4 * (before + 1) * (
        cycles.load_key + cycles.load + cycles.compute + cycles.unload)

    key = params.encode_key(*keys[1]) if of_key != "none" else []
    first = []

    async def testbench(ctx):
        async def offer(words, key, done=None):
            """Offer words of both ports, and take results, until all went or it is done."""
            left = {"i": words, "k": key} if params.k_words else {"i": words}
            moved = await drive(ctx, core.component, left,
                                done or (lambda moved: not any(left.values())), found=found,
                                patience=patience)
            return [name for _, name in moved]

        if params.k_words:
            await offer([], params.encode_key(*keys[0]))
        await offer(list(itertools.chain(*words[:before])), [])
        begun = await offer(_first(words[before], of_operation), _first(key, of_key),
                            lambda moved: len(found) == before * size)
        begun += await offer(words[before][begun.count("i"):] + words[before + 1],
                             key[begun.count("k"):],
                             lambda moved: len(found) == len(words) * size)
        first.extend(begun[:1])

    core.run(testbench)
    if of_key != "none":
        with_new = before if first == ["k"] else before + 1
        vectors[with_new:] = [(*vector[:count], *keys[1]) for vector in vectors[with_new:]]
    assert found == list(itertools.chain(*(expected_words(params, *each) for each in vectors)))
