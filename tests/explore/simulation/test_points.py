"""Cores for scalar multiplication: operands that are tried, results, and refusals."""

import random

import pytest
from compiled_cores import core_library
from toy_points import Model, Points, Swapped, Trusting

from explore.simulation import CompiledEngine, edge_vectors, random_vectors, verify
from explore.simulation.kinds import adapter
from explore.tools.compiler import find_compiler
from montgomery.core import check_operands, from_words
from montgomery.numbers.catalogue import WEIERSTRASS

P256 = WEIERSTRASS["P-256"]
CORES = [Points(), *(Model(width=curve.width, curve=name) for name, curve in WEIERSTRASS.items())]
SEED = 6090


@pytest.mark.parametrize("params", CORES)
def test_all_operands_that_are_tried_are_points(params):
    kind = adapter(params)
    vectors = [*edge_vectors(params), *kind.solved(), *random_vectors(params, 8, SEED),
               kind.longest()]
    for vector in vectors:
        check_operands(params, *vector)
        assert kind.contradiction(params.compute(*vector), *vector) == ""
    assert kind.solved() == vectors[len(edge_vectors(params)):][:len(kind.solved())]
    assert {kind.lengths(*vector) for vector in vectors} == {()}


def test_edges_have_the_ends_of_all_ranges():
    edges, n = edge_vectors(Model(width=256)), P256.n
    assert len(edges) <= 24  # an operation takes tens of thousands of clocks
    assert {scalar for scalar, *point in edges if tuple(point) == P256.base} >= {
        0, 1, 2, 3, n - 2, n - 1, n, n + 1, (n - 1) // 2, (n + 1) // 2, 2**256 - 1, 2**255, 2**128}
    assert (1, P256.gx, P256.p - P256.gy) in edges
    for place in (1, 2):
        coordinates = {vector[place] for vector in edges}
        assert min(coordinates) < 16
        assert max(coordinates) > P256.p - 16


def test_solved_products_have_the_ends_of_all_ranges():
    params = Model(width=256)
    products = [params.compute(*vector) for vector in adapter(params).solved()]
    for coordinates in ([each % 2**256 for each in products], [each >> 256 for each in products]):
        assert min(coordinates) < 16
        assert max(coordinates) > P256.p - 16


@pytest.mark.parametrize("word_width", [16, 24, 64])
def test_what_must_be_refused_is_no_point(word_width):
    params = Model(width=256, word_width=word_width)
    words = params.field_words
    wrong, scalars = set(), set()
    for vector, sent in adapter(params).refused(random.Random(SEED)):
        check_operands(params, *vector)
        scalar, x, y = (from_words(sent[at:at + words], word_width)
                        for at in range(0, 3 * words, words))
        with pytest.raises(ValueError, match=r"^Operand"):
            params.compute(scalar, x, y)
        scalars.add(scalar)
        wrong.add((x, y))
    assert (0, 0) in wrong
    assert scalars >= {0, 1, P256.n}
    # The coordinates of a point, but not below p, and on the curve with -y² in place of y².
    assert any(P256.contains(x - P256.p, y) for x, y in wrong)
    assert any(P256.contains(x, y - P256.p) for x, y in wrong)
    assert any((-y * y - x**3 - P256.a * x - P256.b) % P256.p == 0 for x, y in wrong)


@pytest.mark.parametrize("word_width", [1, 2, 3, 4])
def test_a_core_is_verified(word_width):
    params = Points(word_width=word_width)
    report = verify(params)
    assert report.ok, report.message
    assert report.constant_time is True
    assert report.cycles == {"load": params.i_words, "compute": 3, "unload": params.result_words,
                             "interval": params.cycles.interval}


def test_a_wrong_model_is_found():
    report = verify(Swapped())
    assert report.message == ("The model is wrong: compute(scalar=0x1, x=0x2, y=0x7) = 0x42, but "
                              "scalar * (x, y) = 0x72")


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
@pytest.mark.parametrize(("cls", "says"), [
    (Points, ""), (Trusting, "expected a refusal, found 0x0")])
def test_a_compiled_core_must_refuse_what_is_no_point(cls, says, store, tmp_path, quick_compiler):
    params = cls()
    engine = CompiledEngine(core_library(store, params, tmp_path, find_compiler()))
    report = verify(params, engine=engine)
    assert report.ok == (not says), report.message
    assert says in report.message
