"""Several processors behind one set of ports."""

import pytest

from explore.simulation import verify
from montgomery import exponentiators

SEED = 2010
EXPONENTIATOR = exponentiators()["single_dsp"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("processors", [2, 5])  # one branch, and one after the other
def test_processors_are_verified(processors, compiled):
    """As a sweep does: with resets after which all clocks are right."""
    params = EXPONENTIATOR(width=5, word_width=8, processors=processors)
    report = verify(params, vectors=4, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
