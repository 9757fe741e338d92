"""Verification with all operands in parts, which are stages of this machine here."""

import pytest
from toy import Toy, Wrong

from explore.outcome import StageFailed, Status
from explore.pipeline.on_demand import SingleStages
from explore.pipeline.simulated import ExhaustivePart, checked_in_parts
from explore.pipeline.stage import Job
from explore.simulation.exhaustive import verify_exhaustive


@pytest.fixture
def computed(store, fakes):
    with SingleStages(store) as made:
        yield made


def verified(computed, params):
    """Return the report of parts."""
    return verify_exhaustive(params, library=None,
                             results=checked_in_parts(computed, Job(params=params), None))


def test_a_part_that_fails_tells_the_operation_that_is_wrong(computed):
    params = Wrong(width=4)
    failed, = computed.each([ExhaustivePart()], Job(params=params))
    assert failed.failure.status == Status.UNVERIFIED
    report = verified(computed, params)
    assert report == verify_exhaustive(params, library=None)
    assert not report.ok
    assert report.operation


def test_a_part_that_fails_elsewhere_alone_is_no_success(computed):
    class Elsewhere:
        """Machines on which every core comes out wrong."""

        def each(self, stages, job, ahead):
            return computed.each(stages, Job(params=Wrong(width=4)))

    with pytest.raises(StageFailed):
        verified(Elsewhere(), Toy(width=4))
