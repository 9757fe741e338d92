"""Answers from outside the project: RSA signatures and points of P-256 by ``cryptography``."""

from pathlib import Path

import cases
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from explore.simulation import check_products, simulate
from explore.simulation.kinds import adapter
from montgomery import architectures, exponentiators, rsa_crt
from montgomery.core import name_of

VECTORS = Path(__file__).parents[1] / "vectors"
SIZES = (512, 2048)
MESSAGE = b"The magic words are squeamish ossifrage"
# FIPS 186-4, D.1.2.3
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b


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


def _points():
    for scalar in (1, 2, 3, 0xffff, 2**255 + 19):
        point = ec.derive_private_key(scalar, ec.SECP256R1()).public_key().public_numbers()
        yield point.x, point.y


def _field_products(params):
    """Return the products that decide whether points are on the curve, and what they come to.

    All of it in the Montgomery domain; the curve is y**2 = x**3 - 3x + b.
    """
    vectors, differences = [], []

    def product(x, y):
        vectors.append((x, y, P))
        return params.compute(x, y, P)

    square_of_r = params.r ** 2 % P
    for point in _points():
        x, y = (product(coordinate, square_of_r) for coordinate in point)
        left = product(y, y)
        right = product(product(x, x), x) - 3 * x + product(B, square_of_r)
        differences.append((left - right) % P)
    return vectors, differences


def test_models_find_points_on_p256():
    for params in _models(256):
        _, differences = _field_products(params)
        assert differences == [0] * len(differences), params


def _hardware(width):
    """Return one variant of each core; test_hardware.py has all of them at widths near it."""
    first = {name_of(params): params for params in reversed(list(_models(width)))}
    # An array that takes whole numbers takes minutes to compile.
    return [params for params in first.values() if params.word_width < width]


@pytest.mark.sample(2)
@pytest.mark.parametrize("params", _hardware(256), ids=cases.label)
def test_hardware_multiplies_in_the_field_of_p256(params, compiled):
    vectors, _ = _field_products(params)
    engine = compiled.engine(params, few_clocks=True)
    check_products(params, vectors, simulate(params, vectors, chained=True, engine=engine))
