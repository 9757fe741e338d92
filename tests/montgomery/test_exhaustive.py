"""Every core with all operands of all moduli of small widths, compiled."""

import cases
import pytest

from explore.simulation.exhaustive import verify_exhaustive
from montgomery import architectures

pytestmark = pytest.mark.thorough


def _cases():
    """Wide words, most of which is padding, at one width, narrow ones at another.

    Cores and their variants take turns: each has one of the widths, and of a core with variants
    each choice of a parameter has both. test_hardware.py has the other shapes, with some operands.
    """
    for place, name in enumerate(cases.NAMES):
        cls = architectures()[name]
        for turn, variant in enumerate(cases.variants(cls)):
            width = (4, 5)[(place + turn + turn // 2) % 2]
            legal = cases.shapes(cls, width, **variant)
            # Multipliers of many bits are slow in simulation.
            params = legal[0 if width % 2 or not cls.portable else -1]
            # Of a scaled modulus there are too many.
            if params.bound(3) <= 6:
                yield params


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", [pytest.param(params, id=cases.label(params))
                                    for params in dict.fromkeys(_cases())])
def test_all_operands(params, compiled):
    report = verify_exhaustive(params, library=compiled(params))
    assert report.ok, report.message
