"""What verifies signatures, by ECDSA and EdDSA, beside ``cryptography``."""

import hashlib
import itertools

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature

from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.numbers.catalogue import CURVES

ECDSA, EDDSA = (KINDS[f"{name}_verification"].cores()["wide"] for name in ("ecdsa", "eddsa"))


def _judged(curve, hash_, z, r, s, x, y):
    """Return whether the package cryptography takes a signature; a key must be a point there."""
    try:
        key = ec.EllipticCurvePublicNumbers(x, y, curve).public_key()
        key.verify(encode_dss_signature(r, s), z.to_bytes(hash_.digest_size, "big"),
                   ec.ECDSA(Prehashed(hash_)))
    except (InvalidSignature, ValueError):
        return 0
    return 1


@pytest.mark.parametrize(("name", "curve", "hash_"), [
    ("P-256", ec.SECP256R1(), hashes.SHA256()), ("P-384", ec.SECP384R1(), hashes.SHA384()),
    ("secp256k1", ec.SECP256K1(), hashes.SHA256())])
def test_verdicts_on_ecdsa_are_those_of_cryptography(name, curve, hash_):
    """The hash has as many bits as the curve."""
    core = ECDSA(width=CURVES[name].width, curve=name)
    vectors = [*adapter(core).edges(), *adapter(core).solved()]
    found = [core.compute(*vector) for vector in vectors]
    assert found == [_judged(curve, hash_, *vector) for vector in vectors]
    assert 20 < sum(found) < len(found) - 20


def _judged_edwards(public, message, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return 0
    return 1


def test_keys_of_small_order_are_those_of_cryptography():
    """The equation is without the cofactor: k modulo 8 counts, and R is the sum itself."""
    core, found = EDDSA(width=255), []
    given = adapter(core)
    keys = {vector[2] for vector in given.edges()
            if vector[0] in (1, 8, 9) and given.golden(*vector)}
    for a, factor in itertools.product(sorted(keys)[:6], (3, 5)):
        r = given._of(factor, 7, given._decoded(a))
        public, first, second = (each.to_bytes(32, "little") for each in (a, r, 7))
        for message in map(str.encode, map(str, range(40))):
            k = int.from_bytes(hashlib.sha512(first + public + message).digest(), "little")
            vector = k % core.domain.n, 7, a, r
            found.append(core.compute(*vector))
            assert found[-1] == given.golden(*vector) == _judged_edwards(
                public, message, first + second)
    assert 0 < sum(found) < len(found)
