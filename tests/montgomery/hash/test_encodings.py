"""RSAES-OAEP and RSASSA-PSS: hashes by cores, powers by models of cores, the rest by RFC 8017.

All is checked against the package ``cryptography``.
"""

import functools
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from boards.rsa import join, operations
from explore.simulation import simulate
from montgomery import KINDS, exponentiators, rsa_crt
from montgomery.hash.sha1 import DIGEST

KEY = Path(__file__).parents[2] / "vectors" / "rsa512.pem"
MESSAGE = b"The magic words"
#: What does RSA, by its model.
RSA = [pytest.param(rsa_crt()["cox_rower"](width=512), id="rsa_crt"),
       pytest.param(exponentiators()["generic"](width=512), id="exponentiation"),
       pytest.param(exponentiators()["generic"](width=256), id="two exponentiations")]
OAEP = padding.OAEP(mgf=padding.MGF1(SHA1()), algorithm=SHA1(), label=None)
PSS = padding.PSS(padding.MGF1(SHA1()), salt_length=DIGEST)


def number(octets):
    return int.from_bytes(octets, "big")


def xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def key():
    return load_pem_private_key(KEY.read_bytes(), None)


@pytest.fixture
def hashed(compiled):
    """Return a function that has the core for SHA-1 hash octets."""
    params = KINDS["hash"].cores()["sha1"](width=512)
    engine = compiled.engine(params)

    def digest(octets):
        found = simulate(params, [(number(octets), len(octets))], engine=engine).products
        return found[0].to_bytes(DIGEST, "big")

    return digest


@pytest.fixture
def mask(compiled):
    """Return a function that has the core for MGF1 make a mask."""
    params = KINDS["hash"].cores()["mgf1"](width=512)
    engine = compiled.engine(params)

    def masked(seed, size):
        found = simulate(params, [(number(seed), len(seed), size)], engine=engine).products
        return found[0].to_bytes(params.result_words, "big")[:size]

    return masked


@pytest.fixture
def private(key):
    """Return a function that raises a number to the private exponent by the model of a core."""
    numbers = key.private_numbers()

    def power(params, value):
        parts = [params.compute(*inputs, **options)
                 for inputs, options in operations(params, numbers, value)]
        return functools.reduce(functools.partial(join, numbers), parts)

    return power


def oaep_decoded(encoded, hashed, mask, label=b""):
    """Return the message in EM, by RFC 8017, 7.1.2, step 3."""
    first, masked_seed, masked_data = encoded[0], encoded[1:DIGEST + 1], encoded[DIGEST + 1:]
    seed = xor(masked_seed, mask(masked_data, DIGEST))
    data = xor(masked_data, mask(seed, len(masked_data)))
    filling, one, message = data[DIGEST:].partition(b"\1")
    assert (first, data[:DIGEST], filling.strip(b"\0"), one) == (0, hashed(label), b"", b"\1")
    return message


def oaep_encoded(message, seed, size, hashed, mask, label=b""):
    """Return EM of a message, by RFC 8017, 7.1.1, step 2."""
    filling = bytes(size - len(message) - 2 * DIGEST - 2)
    plain = hashed(label) + filling + b"\1" + message
    data = xor(plain, mask(seed, len(plain)))
    return b"\0" + xor(seed, mask(data, DIGEST)) + data


def pss_encoded(message, salt, bits, hashed, mask):
    """Return EM of a message, by RFC 8017, 9.1.1."""
    size = -(-bits // 8)
    digest = hashed(bytes(8) + hashed(message) + salt)
    plain = bytes(size - len(salt) - DIGEST - 2) + b"\1" + salt
    masked = xor(plain, mask(digest, len(plain)))
    return bytes([masked[0] & 0xff >> 8 * size - bits]) + masked[1:] + digest + b"\xbc"


@pytest.mark.parametrize("params", RSA)
def test_what_others_encrypt_by_oaep_is_decrypted(params, key, private, hashed, mask):
    encrypted = key.public_key().encrypt(MESSAGE, OAEP)
    encoded = private(params, number(encrypted)).to_bytes(len(encrypted), "big")
    assert oaep_decoded(encoded, hashed, mask) == MESSAGE


def test_what_is_encrypted_by_oaep_is_decrypted_by_others(key, hashed, mask):
    numbers = key.public_key().public_numbers()
    encoded = oaep_encoded(MESSAGE, bytes(range(7, 7 + DIGEST)), 64, hashed, mask)
    encrypted = pow(number(encoded), numbers.e, numbers.n).to_bytes(64, "big")
    assert key.decrypt(encrypted, OAEP) == MESSAGE


@pytest.mark.parametrize("params", RSA)
def test_a_signature_by_pss(params, key, private, hashed, mask):
    encoded = pss_encoded(MESSAGE, bytes(range(DIGEST)), key.key_size - 1, hashed, mask)
    signature = private(params, number(encoded)).to_bytes(len(encoded), "big")
    key.public_key().verify(signature, MESSAGE, PSS, SHA1())
