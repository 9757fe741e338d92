"""Every core against its integer model and its cycle formula, at its ports."""

import cases
import pytest
from bench import check_core

from explore.simulation import edge_vectors, random_vectors, verify
from explore.simulation.exhaustive import LARGEST_WIDTH, verify_exhaustive
from montgomery import architectures
from montgomery.core import about, traits

SEED = 2003


def _smallest():
    """Wide words, most of which is padding, at one width, narrow ones at another.

    Cores and their variants take turns: each has one of the widths, and of a core with variants
    each choice of a parameter has both.
    """
    for place, name in enumerate(cases.NAMES):
        cls = architectures()[name]
        for turn, variant in enumerate(cases.variants(cls)):
            width = (4, 5)[(place + turn + turn // 2) % 2]
            legal = cases.shapes(cls, width, **variant)
            # Multipliers of many bits are slow in simulation.
            yield legal[0 if width % 2 or about(cls).uses_blocks else -1]


# Of a scaled modulus there are too many operands.
SMALLEST = [pytest.param(params, id=cases.label(params)) for params in dict.fromkeys(_smallest())
            if traits(params).reach <= 2]


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", SMALLEST)
def test_a_core_agrees_with_its_model_whatever_its_environment_does(params, compiled):
    """Stalls of any length, resets at any time, keys in mid-operation, results that are kept."""
    report = verify(params, vectors=8, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time


@pytest.mark.thorough
@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", [case for case in SMALLEST
                                    if case.values[0].width <= LARGEST_WIDTH])
def test_all_operands(params, compiled):
    report = verify_exhaustive(params, library=compiled(params))
    assert report.ok, report.message


def _vectors(params):
    edges = edge_vectors(params)
    return [edges[-1], *random_vectors(params, 4, SEED), edges[0]]


@pytest.mark.sample(3, each_core=True)
@pytest.mark.parametrize("params", cases.few())
def test_words_of_all_shapes(params):
    check_core(params, _vectors(params), seed=SEED)


@pytest.mark.sample(3, each_core=True)
@pytest.mark.parametrize("params", cases.small(4))
def test_small_widths(params):
    check_core(params, _vectors(params), seed=SEED)


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", cases.large())
def test_large_widths(params):
    check_core(params, _vectors(params)[-2:], seed=SEED)
