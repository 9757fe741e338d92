"""RSA with CRT: cores of the registry against Python, their models and their cycle formula."""

import dataclasses

import pytest
from cases import each_value, variants

from explore.simulation import (
    edge_vectors,
    random_vectors,
    verify,
)
from explore.simulation.kinds import adapter
from montgomery import rsa_crt
from montgomery.core import check_operands, cycles_of, traits

SEED = 2001


def _small(*widths):
    return [pytest.param(cls(width=width, word_width=8, **variant), id=f"{name}-{width}")
            for name, cls in rsa_crt().items() for variant in variants(cls)
            for width in widths]


@pytest.mark.parametrize("params", _small(8, 9, 31, 32))
def test_models_agree_with_python(params):
    for vector in [*edge_vectors(params), *random_vectors(params, 20, SEED),
                   adapter(params).longest()]:
        message, exponent_p, exponent_q, p, q = vector
        result = params.compute(*vector)
        assert result == adapter(params).golden(*vector), vector
        assert 0 <= result < p * q
        assert result % p == pow(message, exponent_p, p)
        assert result % q == pow(message, exponent_q, q)


@pytest.mark.parametrize("params", _small(8, 9, 31, 32))
def test_the_longest_operation(params):
    *_, p, q = adapter(params).longest()
    assert p.bit_length() == params.factor_width
    assert params.width - 1 <= (p * q).bit_length() <= params.width
    longest = params.cycles
    for vector in random_vectors(params, 8, SEED):
        shorter = cycles_of(params, *vector)
        assert (shorter.load, shorter.compute) <= (longest.load, longest.compute)


def _simulated():
    """Each core with each value of its options: first with the window that it has by default, then
    with one of two bits, since a table of powers takes longer than the rest.
    """
    for name, cls in rsa_crt().items():
        for place, variant in enumerate(each_value(cls)):
            window = {"window": 2} if place else {}
            yield pytest.param(cls(width=9, word_width=8, **variant, **window),
                               id="-".join([name, *variant.values()]))


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", list(_simulated()))
def test_core_agrees_with_its_model_and_its_formula(params, compiled):
    report = verify(params, vectors=1, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time is True
    assert report.cycles == dataclasses.asdict(params.cycles)


@pytest.mark.parametrize("params", _small(13))
def test_length_of_secret_exponents_may_be_hidden(params):
    *_, p, q = adapter(params).longest()
    bits = params.factor_width
    given = [(2, *exponents, p, q) for exponents in ((0, 0), (1, 5), ((1 << bits) - 1, 1))]
    if traits(params).checks:  # which takes RSA keys only
        _, exponent_p, exponent_q, *_ = adapter(params).longest()
        given = [(2, exponent_p % (p - 1), exponent_q % (q - 1), p, q), adapter(params).longest()]
    assert len({cycles_of(params, *vector, exponent_bits=bits) for vector in given}) == 1
    for vector in given:
        assert params.compute(*vector, exponent_bits=bits) == adapter(params).golden(*vector)
        assert len(params.encode(*vector, exponent_bits=bits)) == len(params.encode(*vector))


@pytest.mark.parametrize("cls", rsa_crt().values(), ids=rsa_crt())
def test_refusals(cls):
    params = cls(width=16)
    most = params.exponent_limit
    good = (5, 3, 3, 251, 253)
    for place, value, error, message in (
            (0, 251 * 253, ValueError, "Operand message must be from 0 to 63502"),
            (1, 1 << most, ValueError, f"Operand exponent_p must have {most} bits or fewer, not "
             f"{most + 1}; reduce it modulo p - 1"),
            (2, -1, ValueError, "Operand exponent_q must be 0 or more, not -1"),
            (3, 250, ValueError, "Factor p must be odd, not 250"),
            (3, 257, ValueError, "the width of the core, not 9; choose width 18"),
            (3, True, TypeError, "Factor p must be an integer, not True"),
            (4, 251, ValueError, "p and q must be coprime, but have the common factor 251")):
        wrong = (*good[:place], value, *good[place + 1:])
        for method in (params.compute, params.encode):
            with pytest.raises(error) as caught:
                method(*wrong)
            assert message in str(caught.value)
            assert "\n" not in str(caught.value)
    for bits in (-1, 1, most + 1):
        with pytest.raises(ValueError, match=f"must be from 2 to {most}, not {bits}; leave it out"):
            check_operands(params, *good, exponent_bits=bits)
    with pytest.raises(ValueError, match="choose width 14"):
        check_operands(cls(width=13), 0, 0, 0, 127, 125)
