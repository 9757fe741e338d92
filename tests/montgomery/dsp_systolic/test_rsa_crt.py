"""RSA with CRT on the DSP array: full-length keys, and keys that are refused."""

import random

import pytest

from explore.simulation.kinds import adapter
from montgomery.core import traits
from montgomery.dsp_systolic.rsa_crt import Parameters

QUOTIENTS = ("plain", "delayed")
SEED = 2024


def _key(params, seed=SEED):
    p, q, *exponents = adapter(params).key(random.Random(seed))
    return *exponents, p, q


@pytest.mark.parametrize("quotient", QUOTIENTS)
@pytest.mark.parametrize("width", [1024, 1025])
def test_models_sign_with_long_keys(width, quotient):
    params = Parameters(width=width, word_width=18, quotient=quotient)
    key = _key(params)
    message = random.Random(SEED).randrange(key[2] * key[3])
    assert params.compute(message, *key) == adapter(params).golden(message, *key)


def test_an_unchecked_core_gives_what_it_found():
    params = Parameters(width=20, word_width=8, window=2, quotient="delayed", check="none")
    assert not traits(params).checks
    assert params.compute(1234, 4, 6, 1001, 1003) == adapter(params).golden(1234, 4, 6, 1001, 1003)


def test_a_key_without_public_exponent_is_refused():
    params = Parameters(width=20)
    for wrong, message in (((3, 3, 1001, 1009), "Factor p must be a prime"),
                           ((2, 3, 1013, 1009), "must have inverses modulo p - 1"),
                           ((1, 11, 1013, 1009), "inverses of one public exponent")):
        with pytest.raises(ValueError, match=message):
            params.compute(5, *wrong)
