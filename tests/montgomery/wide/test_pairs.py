"""Engines in which two operations are under way."""

import pytest

from explore.simulation import verify
from montgomery.core import traits
from montgomery.wide import ecdsa_verification, key_agreement, scalar_multiplication

SEED = 1985


@pytest.mark.parametrize(("kind", "width", "per_clock", "share"), [
    (key_agreement, 255, 2, 0.87), (key_agreement, 255, 4, 0.69),
    (scalar_multiplication, 256, 4, 0.76)])
def test_two_operations_share_a_multiplier(kind, width, per_clock, share):
    one, two = (kind.Parameters(width=width, digits_per_clock=per_clock, in_flight=count)
                for count in (1, 2))
    assert traits(one).initiation == one.cycles.interval
    assert traits(two).initiation < share * one.cycles.interval


@pytest.mark.parametrize("kind", [ecdsa_verification, scalar_multiplication])
def test_two_operations_take_four_digits_a_clock(kind):
    with pytest.raises(ValueError, match=r"in_flight must be 1 .*digits_per_clock=4"):
        kind.Parameters(width=256, in_flight=2)


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "width"), [
    (ecdsa_verification, 256), (key_agreement, 255), (scalar_multiplication, 256)])
def test_two_operations_at_a_time(kind, width, compiled):
    """Stalls, resets, and operations that come while another one is under way, or long after it."""
    params = kind.Parameters(width=width, digits_per_clock=4, in_flight=2)
    report = verify(params, vectors=2, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time
