"""Operands that are solved for what random ones hardly ever give, and cores inside of cores."""

import pytest
from cases import legal_width

from explore.simulation.kinds import adapter
from montgomery import exponentiators
from montgomery.core import check_operands
from montgomery.kinds import KINDS

CORES = [(kind, name) for kind in ("multiplier", "exponentiator", "rsa_crt")
         for name in KINDS[kind].cores()]


@pytest.mark.parametrize("width", [20, 65])
@pytest.mark.parametrize(("kind", "name"), CORES)
def test_solved_operands_are_legal_and_the_same_each_time(kind, name, width):
    cls = KINDS[kind].cores()[name]
    params = cls(width=legal_width(cls, width))
    vectors = adapter(params).solved()
    assert len(vectors) > 5
    assert vectors == adapter(params).solved()
    for vector in vectors:
        check_operands(params, *vector)


def test_last_products_of_solved_operands_come_close_to_the_modulus():
    params = exponentiators()["generic"](width=64)
    apart = {(base ^ modulus).bit_count() for base, exponent, modulus in adapter(params).solved()
             if exponent == 1}
    assert apart == {1}
    zeros = [vector for vector in adapter(params).solved() if pow(*vector) == 0]
    assert any(base and modulus >> 62 for base, _, modulus in zeros)
