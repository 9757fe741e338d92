"""The kind of cores for EdDSA verification, beside the package cryptography."""

import hashlib
import itertools
import random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.core import cycles_of, expected_words, input_names, traits
from montgomery.numbers.catalogue import EDWARDS
from montgomery.technology import technologies

SEED = 8032
CURVE = EDWARDS["Ed25519"]
CORES = KINDS["eddsa_verification"].cores()
CORE = CORES["wide"](width=255)
FAST = CORES["wide"](width=255, digits_per_clock=4)
every = pytest.mark.parametrize("core", [CORE, FAST], ids=lambda core: core.digits_per_clock)
#: RFC 8032, 7.1: public keys, messages and signatures of tests 1 to 3.
VECTORS = [tuple(map(bytes.fromhex, octets)) for octets in (
    ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b4"
     "6bd25bf5f0595bbe24655141438e7a100b"),
    ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d"
     "8c387b2eaeb4302aeeb00d291612bb0c00"),
    ("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6"
     "594a7c15e9716ed28dc027beceea1ec40a"))]


def _number(octets):
    return int.from_bytes(octets, "little")


def _operands(public, message, signature):
    k = _number(hashlib.sha512(signature[:32] + public + message).digest()) % CURVE.n
    return k, _number(signature[32:]), _number(public), _number(signature[:32])


def _judged(public, message, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return 0
    return 1


@every
def test_signatures_of_the_rfc(core):
    for vector in VECTORS:
        k, s, a, r = _operands(*vector)
        assert core.compute(k, s, a, r) == 1
        assert core.compute(k ^ 1, s, a, r) == core.compute(k, s ^ 1, a, r) == 0
        # The opposite key, the opposite R, and another s for the same multiple.
        top = 1 << 255
        assert core.compute(k, s, a ^ top, r) == core.compute(k, s, a, r ^ top) == 0
        assert core.compute(k, s + CURVE.n, a, r) == 0


@every
def test_random_signatures_and_single_bits(core):
    print("seed", SEED)
    rng = random.Random(SEED)
    for _ in range(8):
        key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(40)
        public, signature = key.public_key().public_bytes_raw(), key.sign(message)
        assert core.compute(*_operands(public, message, signature)) == 1
        wrong = bytearray(signature)
        wrong[rng.randrange(64)] ^= 1 << rng.randrange(8)
        assert core.compute(*_operands(public, message, bytes(wrong))) == _judged(
            public, message, bytes(wrong)) == 0


def test_keys_of_small_order_are_those_of_cryptography():
    """The equation is without the cofactor: k modulo 8 counts, and R is the sum itself."""
    given, found = adapter(CORE), []
    keys = {vector[2] for vector in given.edges()
            if vector[0] in (1, 8, 9) and given.golden(*vector)}
    for a, factor in itertools.product(sorted(keys)[:6], (3, 5)):
        r = given._of(factor, 7, given._decoded(a))
        public, signature = a.to_bytes(32, "little"), b"".join(
            each.to_bytes(32, "little") for each in (r, 7))
        for message in map(str.encode, map(str, range(40))):
            vector = _operands(public, message, signature)
            found.append(FAST.compute(*vector))
            assert found[-1] == given.golden(*vector) == _judged(public, message, signature)
    assert 0 < sum(found) < len(found)


@every
def test_edges(core):
    """What is no shortest encoding of a point, and s from the order on, is no signature."""
    vectors = [*adapter(core).edges(), *adapter(core).solved()]
    found = [core.compute(*vector) for vector in vectors]
    assert found == [adapter(core).golden(*vector) for vector in vectors]
    assert 20 < sum(found) < len(found) - 20


def test_words():
    assert input_names(CORE) == tuple(KINDS["eddsa_verification"].inputs)
    words = CORE.encode(1, 2, 3, 4)
    assert len(words) == 64
    assert [words.index(number) for number in (1, 2, 3, 4)] == [0, 16, 32, 48]
    assert expected_words(CORE, 1, 2, 3, 4) == [0]
    for inputs, name in (((-1, 1, 1, 1), "k"), ((1, 1, 1 << 256, 1), "a")):
        with pytest.raises(ValueError, match=rf"^Operand {name} must be from 0 to 2\*\*256 - 1"):
            CORE.compute(*inputs)
    with pytest.raises(ValueError, match="Width must be 255 or less, not 256"):
        CORES["wide"](width=256)


def test_clocks_and_blocks():
    for core, blocks in ((CORE, 32), (FAST, 64)):
        assert cycles_of(core, 0, 0, 0, 0) == core.cycles
        assert traits(core).blocks(technologies()["ecp5"]) == blocks
