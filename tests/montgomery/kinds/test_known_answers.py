"""Answers from outside the project: RSA signatures by ``cryptography``."""

from pathlib import Path

import cases
import pytest
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from explore.simulation.kinds import adapter
from montgomery import architectures, exponentiators, rsa_crt

VECTORS = Path(__file__).parents[2] / "vectors"
SIZES = (512, 2048)
MESSAGE = b"The magic words are squeamish ossifrage"


def _key(bits):
    """Return modulus, public and private exponent, and a function that signs."""
    key = load_pem_private_key((VECTORS / f"rsa{bits}.pem").read_bytes(), None)
    numbers = key.private_numbers()
    public = numbers.public_numbers
    signature = int.from_bytes(key.sign(MESSAGE, padding.PKCS1v15(), SHA256()), "big")
    recovered = key.public_key().recover_data_from_signature
    digest = recovered(signature.to_bytes(bits // 8, "big"), padding.PKCS1v15(), SHA256())
    # EMSA-PKCS1-v1_5, of RFC 8017, 9.2
    info = bytes.fromhex("3031300d060960864801650304020105000420") + digest
    padded = b"\x00\x01" + b"\xff" * (bits // 8 - 3 - len(info)) + b"\x00" + info
    return public.n, public.e, numbers.d, int.from_bytes(padded, "big"), signature


def _factors(bits):
    key = load_pem_private_key((VECTORS / f"rsa{bits}.pem").read_bytes(), None)
    return key.private_numbers().p, key.private_numbers().q


def _models(width):
    """Return each core of that width, as far as it has it."""
    for name in cases.NAMES:
        for variant in cases.variants(architectures()[name]):
            try:
                yield architectures()[name](width=width, **variant)
            except ValueError:
                continue


@pytest.mark.parametrize("bits", SIZES)
def test_models_verify_an_rsa_signature(bits):
    modulus, public, _private, padded, signature = _key(bits)
    for params in _models(bits):
        _, result = adapter(params).exponentiation(signature, public, modulus)
        assert result == padded, params


@pytest.mark.parametrize("name", sorted(exponentiators()))
@pytest.mark.parametrize("bits", SIZES)
def test_models_of_exponentiators_verify_an_rsa_signature(name, bits):
    modulus, public, _private, padded, signature = _key(bits)
    assert exponentiators()[name](width=bits).compute(signature, public, modulus) == padded


@pytest.mark.parametrize("name", sorted(rsa_crt()))
@pytest.mark.parametrize("bits", [512, 1024])
def test_models_with_the_factors_make_an_rsa_signature(name, bits):
    _modulus, _public, private, padded, signature = _key(bits)
    p, q = _factors(bits)
    params = rsa_crt()[name](width=bits)
    assert params.compute(padded, private % (p - 1), private % (q - 1), p, q) == signature
