"""One core for keys with CRT and without: its model, clocks and refusals."""

import dataclasses

import pytest

from explore.simulation.kinds.rsa_crt import without_crt
from montgomery import exponentiators, rsa_crt
from montgomery.arithmetic import coprime_below
from montgomery.core import cycles_of, traits


def _params(**given):
    return rsa_crt()["cox_rower"](keys="both", check="none", **given)


def test_models_of_all_messages():
    params = _params(width=16, word_width=8)
    for modulus in (3, 21, 249):
        for message in range(modulus):
            vector = without_crt(message, 53, modulus)
            assert params.compute(*vector) == pow(message, 53, modulus)


@pytest.mark.parametrize(("bits", "paper"), [(1024, 336000), (2048, 2336000)])
def test_clocks_of_the_paper(bits, paper):
    """The chip of Table 1: 2048 bits without CRT where 4096 bits are the most with it."""
    chip = {"width": 4096, "shortest": 1024}
    modulus = coprime_below((1 << bits) - 1, traits(_params(**chip)).coprime_to)
    for window in (4, 5):
        params = _params(**chip, window=window)
        cycles = cycles_of(params, *without_crt(0, 1, modulus), exponent_bits=bits)
        assert cycles.compute <= paper
        alone = exponentiators()["cox_rower"](width=bits, window=window)
        own = cycles_of(alone, 0, 1, modulus, exponent_bits=bits)
        assert own.compute < cycles.compute < 1.02 * own.compute


def test_refusals():
    params = _params(width=16, word_width=8)
    good = without_crt(5, 3, 249)
    for place, value, error, message in (
            (0, 249, ValueError, "Operand message must be from 0 to 248"),
            (2, 3, ValueError, "Operand exponent_q must be 0 with q = 1, which is a key without "
             "CRT, not 3; give the exponent as exponent_p"),
            (3, 257, ValueError, "Factor p must have 8 bits or fewer, .*; choose width 18"),
            (3, params.bases[-1].b[-1], ValueError, "coprime to a constant of the core"),
            (4, 2, ValueError, r"Factor q must be 3 or larger, not 2; .* 3, or 1 as q without"),
            (4, True, TypeError, "Factor q must be an integer, not True")):
        wrong = (*good[:place], value, *good[place + 1:])
        for method in (params.compute, params.encode):
            with pytest.raises(error, match=message):
                method(*wrong)
    with pytest.raises(ValueError, match=r"Factor q must be 3 or larger, not 1; .* factor is 3$"):
        rsa_crt()["cox_rower"](width=16, word_width=8).compute(*good)
    with pytest.raises(ValueError, match="Keys must be one of crt, both, not 'any'"):
        dataclasses.replace(params, keys="any")
