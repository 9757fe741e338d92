"""Answers from outside the project: RSA signatures by ``cryptography``."""

from pathlib import Path

import pytest
from cases import variants
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from explore.simulation.kinds import adapter
from montgomery import architectures, exponentiators, rsa_crt

VECTORS = Path(__file__).parents[2] / "vectors"
MESSAGE = b"The magic words are squeamish ossifrage"


def _key(bits):
    """Return the numbers of a private key, a padded message, and its signature."""
    key = load_pem_private_key((VECTORS / f"rsa{bits}.pem").read_bytes(), None)
    signature = key.sign(MESSAGE, padding.PKCS1v15(), SHA256())
    digest = key.public_key().recover_data_from_signature(
        signature, padding.PKCS1v15(), SHA256())
    # EMSA-PKCS1-v1_5, of RFC 8017, 9.2
    info = bytes.fromhex("3031300d060960864801650304020105000420") + digest
    padded = b"\x00\x01" + b"\xff" * (bits // 8 - 3 - len(info)) + b"\x00" + info
    return key.private_numbers(), *(int.from_bytes(each, "big") for each in (padded, signature))


@pytest.mark.parametrize("bits", [512, 2048])
def test_models_verify_an_rsa_signature(bits):
    numbers, padded, signature = _key(bits)
    modulus, public = numbers.public_numbers.n, numbers.public_numbers.e
    for cls in architectures().values():
        for params in variants(cls, bits):
            _, result = adapter(params).exponentiation(signature, public, modulus)
            assert result == padded, params
    for cls in exponentiators().values():
        assert cls(width=bits).compute(signature, public, modulus) == padded


@pytest.mark.parametrize("name", rsa_crt())
@pytest.mark.parametrize("bits", [512, 1024])
def test_models_with_the_factors_make_an_rsa_signature(name, bits):
    numbers, padded, signature = _key(bits)
    assert rsa_crt()[name](width=bits).compute(
        padded, numbers.dmp1, numbers.dmq1, numbers.p, numbers.q) == signature
