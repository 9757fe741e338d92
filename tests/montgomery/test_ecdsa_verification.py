"""The kind of cores for ECDSA verification, beside the package cryptography."""

import hashlib
import random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)

from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.core import cycles_of, expected_words, input_names, traits
from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.technology import technologies

SEED = 6979
#: What the package cryptography calls the curves, with a hash of as many bits.
OTHERS = {"P-256": (ec.SECP256R1(), hashes.SHA256()), "P-384": (ec.SECP384R1(), hashes.SHA384()),
          "secp256k1": (ec.SECP256K1(), hashes.SHA256())}
P256 = WEIERSTRASS["P-256"]
N = P256.n
CORES = KINDS["ecdsa_verification"].cores()
CORE = CORES["wide"](width=256)
#: RFC 6979, A.2.5: the public key, and signatures of SHA-256 by messages.
KEY = (0x60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6,
       0x7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299)
SIGNATURES = {
    b"sample": (0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716,
                0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8),
    b"test": (0xF1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367,
              0x019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083)}

#: What a second operation in flight changes is how signatures take turns.
of_p256 = pytest.mark.parametrize("core", [
    CORES["wide"](width=256, digits_per_clock=per_clock, in_flight=in_flight)
    for per_clock, in_flight in ((2, 1), (4, 1), (4, 2))])
every = pytest.mark.parametrize("core", [
    CORES["wide"](width=WEIERSTRASS[name].width, curve=name, digits_per_clock=per_clock)
    for name, per_clock in (("P-256", 2), ("P-256", 4), ("P-384", 2), ("secp256k1", 2),
                            ("secp256k1", 4))], ids=lambda core: (
                                f"{core.curve}, {core.digits_per_clock}"))


def _judged(core, z, r, s, x, y):
    """Return whether the package cryptography takes a signature; a key must be a point there."""
    curve, digest = OTHERS[core.curve]
    try:
        key = ec.EllipticCurvePublicNumbers(x, y, curve).public_key()
        key.verify(encode_dss_signature(r, s), z.to_bytes(core.width // 8, "big"),
                   ec.ECDSA(Prehashed(digest)))
    except (InvalidSignature, ValueError):
        return 0
    return 1


@of_p256
@pytest.mark.parametrize("message", SIGNATURES)
def test_signatures_of_the_rfc(core, message):
    z = int.from_bytes(hashlib.sha256(message).digest(), "big")
    signature = SIGNATURES[message]
    assert core.compute(z, *signature, *KEY) == 1
    assert core.compute(z ^ 1, *signature, *KEY) == 0
    # The opposite s is a signature too, and the opposite key has none of its own.
    assert core.compute(z, signature[0], N - signature[1], *KEY) == 1
    assert core.compute(z, *signature, KEY[0], P256.p - KEY[1]) == 0


@every
def test_random_signatures_and_single_bits(core):
    print("seed", SEED)
    rng, (curve, hashed) = random.Random(SEED), OTHERS[core.curve]
    for _ in range(8):
        key = ec.derive_private_key(rng.randrange(1, core.domain.n), curve)
        public, digest = key.public_key().public_numbers(), rng.randbytes(core.width // 8)
        r, s = decode_dss_signature(key.sign(digest, ec.ECDSA(Prehashed(hashed))))
        numbers = [int.from_bytes(digest, "big"), r, s, public.x, public.y]
        assert core.compute(*numbers) == _judged(core, *numbers) == 1
        numbers[rng.randrange(5)] ^= 1 << rng.randrange(core.width)
        assert core.compute(*numbers) == _judged(core, *numbers) == 0


@every
def test_edges_are_those_of_cryptography(core):
    vectors = [*adapter(core).edges(), *adapter(core).solved()]
    found = [core.compute(*vector) for vector in vectors]
    assert found == [_judged(core, *vector) for vector in vectors]
    assert 20 < sum(found) < len(found) - 20


@pytest.mark.parametrize(("given", "fix"), [
    ({"width": 256, "curve": "P-384"}, "Width must be 384 for P-384, not 256"),
    ({"width": 384, "curve": "secp256k1"}, "Width must be 256 for secp256k1, not 384"),
    ({"width": 384, "curve": "P-384", "digits_per_clock": 4}, "Digits per clock must be 2 for P-"),
    ({"width": 256, "curve": "secp256k1", "digits_per_clock": 4, "in_flight": 2},
     "in_flight must be 1 for secp256k1; two signatures")])
def test_what_a_curve_does_not_have_is_refused(given, fix):
    with pytest.raises(ValueError, match=fix):
        CORES["wide"](**given)


def test_words():
    assert input_names(CORE) == tuple(KINDS["ecdsa_verification"].inputs)
    words = CORE.encode(1, 2, 3, *P256.base)
    assert len(words) == 80
    assert [words.index(number) for number in (1, 2, 3)] == [0, 16, 32]
    assert expected_words(CORE, 1, 2, 3, *P256.base) == [0]
    assert [CORE.decode([word]) for word in (0, 1)] == [0, 1]
    for inputs, name in (((-1, 1, 1, 1, 1), "z"), ((1, 1, 1 << 256, 1, 1), "s")):
        with pytest.raises(ValueError, match=rf"^Operand {name} must be from 0 to 2\*\*256 - 1"):
            CORE.compute(*inputs)
    with pytest.raises(TypeError, match="Operand x must be an integer"):
        CORE.compute(1, 1, 1, 1.5, 1)


def test_clocks_and_blocks():
    fast = CORES["wide"](width=256, digits_per_clock=4)
    double = CORES["wide"](width=256, in_flight=2, digits_per_clock=4)
    of_p384, of_koblitz = (CORES["wide"](width=width, curve=name)
                           for width, name in ((384, "P-384"), (256, "secp256k1")))
    for core, blocks in ((CORE, 33), (fast, 65), (double, 65), (of_p384, 49), (of_koblitz, 34)):
        assert cycles_of(core, 0, 0, 0, 0, 0) == core.cycles
        assert traits(core).blocks(technologies()["ecp5"]) == blocks
        # The next signature is inverted meanwhile.
        assert traits(core).initiation < 0.75 * core.cycles.interval
    assert traits(double).initiation < 0.77 * traits(fast).initiation
