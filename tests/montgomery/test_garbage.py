"""Operands that the model refuses: the hardware must stay in step, and recover."""

import random

import pytest
from bench import Lax
from cases import multipliers

from explore.simulation import random_vectors, simulate
from explore.simulation.kinds import adapter
from montgomery.core import traits

SEED = 20


def _framed(message, valid, words):
    """Return ``words`` with those that say how many there are as they are in ``valid`` ones."""
    if message.beside:
        return words
    names = [field.name for field in message.fields for _ in range(field.words)]
    return [right if name == "length" else word
            for name, right, word in zip(names, valid, words, strict=True)]


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", multipliers())
def test_garbage_does_not_reach_the_next_multiplication(params):
    rng = random.Random(SEED)
    top = (1 << params.operands.width) - 1
    modulus = adapter(params).usable(3)
    count = len(params.encode(0, 0, modulus))
    valid_key = params.encode_key(modulus) if params.k_words else []
    keys = len(valid_key)
    top_key = (1 << params.key_operands.width) - 1
    # None of the flags that tell which operands are sent, and then how many words follow.
    operands = top >> 2 if traits(params).keeps_results else top
    garbage = [(_framed(params.operands, params.encode(0, 0, modulus), words),
                *([_framed(params.key_operands, valid_key, key)] if keys else []))
               for words, key in (
                   ([operands] * count, [0] * keys), ([0] * count, [top_key] * keys),
                   ([rng.randint(0, operands) for _ in range(count)],
                    [rng.randint(0, top_key) for _ in range(keys)]))]
    valid = random_vectors(params, 4, SEED)
    vectors = [vector for pair in zip(valid, [*garbage, *garbage], strict=False)
               for vector in pair] + valid
    result = simulate(Lax(params), vectors)
    for vector, product in zip(vectors, result.products, strict=True):
        if len(vector) == 3:
            assert product == params.compute(*vector), f"{vector} after garbage, seed {SEED}"
