"""Every core with all operands of all moduli of small widths, compiled."""

import cases
import pytest

from explore.pipeline.on_demand import Demand
from explore.simulation.exhaustive import verify_exhaustive
from explore.store import Store
from explore.tools.compiler import find_compiler
from montgomery import architectures

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")


def _cases():
    """Narrow words at one width, wide ones, most of which is padding, at the next."""
    for name in cases.NAMES:
        for variant in cases.variants(architectures()[name]):
            for width in (4, 5):
                cls = architectures()[name]
                legal = cases.shapes(cls, width, **variant)
                # Multipliers of many bits take long: compiled for a few clocks, they are slow.
                params = legal[0 if width % 2 or not cls.portable else -1]
                # Of a scaled modulus there are too many.
                if params.bound(3) <= 6:
                    yield params


@pytest.mark.parametrize("params", [pytest.param(params, id=cases.label(params))
                                    for params in dict.fromkeys(_cases())])
def test_all_operands(params, tmp_path):
    with Store(tmp_path / "store") as store:
        library = Demand(store, params, tmp_path).library(find_compiler())
        report = verify_exhaustive(params, library=library)
    assert report.ok, report.message
