"""Keys of curves, the cores that boards have for them, and what cryptography makes of the keys."""

import contextlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from standards import AGREEMENTS, ED25519, NIST_KEY

from montgomery import KINDS

__all__ = ["ANY", "BASE", "CORES", "ECDSA", "EDWARDS", "KEY", "P256", "SECRET", "SHARED", "SIDES",
           "accepts", "core", "shared"]


def core(kind, name="wide", **params):
    """Return a core of a kind."""
    return KINDS[kind].cores()[name](**params)


P256, ECDSA = ec.SECP256R1(), ec.ECDSA(hashes.SHA256())
ANY, BASE = core("scalar_multiplication", width=256), core("base_multiplication", width=256)
EDWARDS = core("base_multiplication", width=256, curve="Ed25519")
#: By curves: what makes shared secrets.
CORES = {"P-256": ANY, "P-384": core("scalar_multiplication", width=384, curve="P-384"),
         "Curve25519": core("key_agreement", width=255),
         "Curve448": core("key_agreement", "generic", width=448, parts=2, word_width=36,
                          multiplier="dsp_systolic digit_width=18")}
_MAKE = {"P-256": lambda octets: ec.derive_private_key(int.from_bytes(octets, "big"), P256),
         "P-384": lambda octets: ec.derive_private_key(int.from_bytes(octets, "big"),
                                                       ec.SECP384R1()),
         "Curve25519": X25519PrivateKey.from_private_bytes,
         "Curve448": X448PrivateKey.from_private_bytes}
#: By curves: the private keys of both sides, and their secret, of the standards.
SIDES = {name: [_MAKE[name](each) for each in octets[:2]] for name, octets in AGREEMENTS.items()}
SHARED = {name: octets[2] for name, octets in AGREEMENTS.items()}
#: Keys that sign, of the standards.
KEY = ec.derive_private_key(NIST_KEY, P256)
SECRET = Ed25519PrivateKey.from_private_bytes(ED25519[0][0])


def shared(key, peer):
    """Return the secret of a private key, maybe on a board, and the public key of another side."""
    return key.exchange(*[ec.ECDH()] * isinstance(key, ec.EllipticCurvePrivateKey), peer)


def accepts(key, *arguments):
    """Return whether a key, which may be on a board, verifies a signature."""
    with contextlib.suppress(InvalidSignature):
        return key.verify(*arguments) is None
    return False
