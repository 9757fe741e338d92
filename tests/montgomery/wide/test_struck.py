"""What goes wrong inside of a core while it multiplies a point: no wrong product leaves it."""

import random

import pytest
from struck_core import StruckBase

from explore.simulation.run import stimulus
from montgomery.core import expected_words

#: Clocks at the end in which products are again what was checked.
_CHECKED = 500


@pytest.mark.thorough
def test_no_wrong_product_leaves_a_core(compiled):
    params = StruckBase(width=256, curve="Ed25519")
    rng = random.Random(11)
    last = params.cycles.compute - _CHECKED
    vectors = []
    for clock in range(40, last, last // 50):
        vectors.append((rng.getrandbits(240) << 16 | clock,))
    trace = compiled.engine(params).run(stimulus(params, vectors, chained=True))
    refusal = [(1 << params.word_width) - 1] * params.result_words
    products = [expected_words(params, *vector, result=params.compute(*vector))
                for vector in vectors]
    refused = [words == refusal for words in trace.words]
    assert all(words == product or no for words, product, no in
               zip(trace.words, products, refused, strict=True))
    assert sum(refused) > len(vectors) // 2
