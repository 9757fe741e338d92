"""When cores take another key: as soon as they have computed, whether or not results are taken."""

import pytest
from bench import keys_of, offer, receive, run

from explore.simulation import random_vectors
from montgomery import KINDS, exponentiators

SEED = 2010


def _cores():
    for kind in KINDS.values():
        for name, cls in kind.cores().items():
            if cls(width=16).k_words:
                yield pytest.param(cls(width=16), id=kind.full_name(name))
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
