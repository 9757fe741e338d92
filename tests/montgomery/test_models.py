"""Integer models against the definitions of their operations, and what models refuse."""

import dataclasses

import pytest
from cases import multipliers, named, top, variants

from explore.simulation import random_vectors
from explore.simulation.attempt import expected_results
from explore.simulation.kinds import adapter
from montgomery import KINDS, architectures, exponentiators
from montgomery.numbers.catalogue import CURVES

SEED = 3


def _of_numbers():
    """Yield cores of all kinds but multipliers that are for numbers of any length."""
    for name, kind in KINDS.items():
        for cls in kind.cores().values() if name != "multiplier" else ():
            if "curve" not in cls.__dataclass_fields__:
                yield from variants(cls, 4, 9, 13, 32, 168)


def _around():
    """Yield exponentiators around each multiplier that they can have."""
    for name, inner in architectures().items():
        for choice in variants(inner, 64, 256):
            values = [f"{field.name}={getattr(choice, field.name)}" for field in
                      dataclasses.fields(inner) if field.metadata["choices"]]
            try:
                yield exponentiators()["generic"](width=5, multiplier=" ".join([name, *values]))
            except ValueError:
                continue


@pytest.mark.parametrize("params", [*multipliers(), *named([*_of_numbers(), *_around()])])
def test_models_agree_with_python(params):
    given = adapter(params)
    expected_results(params, [*given.edges(), *given.solved(), *random_vectors(params, 20, SEED)])


# To make such a core takes seconds, since its code is checked.
@pytest.mark.parametrize(("cls", "curve"), [
    pytest.param(cls, curve, id=f"{kind.full_name(name)}-{curve}")
    for kind in KINDS.values() for name, cls in kind.cores().items()
    if "curve" in cls.__dataclass_fields__
    for curve in filter(None, cls.__dataclass_fields__["curve"].metadata["choices"])])
def test_models_agree_with_python_on_curves(cls, curve):
    width = CURVES[curve].width
    found = [params for params in variants(cls, width, width + 1) if params.curve == curve]
    assert found
    for params in found:
        given = adapter(params)
        expected_results(params, [*given.edges(), *given.solved()[::4],
                                  *random_vectors(params, 3, SEED)])


@pytest.mark.parametrize("params", [case for case in multipliers() if case.values[0].width == 4])
def test_every_product_of_width_4(params):
    if params.bound(15) <= 64:
        for products in adapter(params).every(1 << 16):
            expected_results(params, products)


@pytest.mark.parametrize("name", architectures())
def test_what_no_multiplier_takes(name):
    """``answers.txt`` has what is said."""
    params = next(iter(variants(architectures()[name], 64, 256)))
    modulus, bound = top(params), params.bound(top(params))
    assert params.encode(bound - 1, bound - 1, modulus)
    wrong = [(1, 1, each) for each in (4, 2, -7, (1 << params.width) + 1, 7.0, False)]
    wrong += [vector for each in (bound, -1, 1 << 5000, 0.5, False)
              for vector in ((each, 1, modulus), (1, each, modulus))]
    for vector in wrong:
        for method in (params.compute, params.encode):
            with pytest.raises((TypeError, ValueError), match=r"\A[^\n]+\Z"):
                method(*vector)
