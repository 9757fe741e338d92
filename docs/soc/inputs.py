"""What the program on the SoC is given, and what must come of it, by OpenSSL."""

import hashlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils, x25519

__all__ = ["write"]

_OCTETS = 32
#: Operations with each RSA key.
_KEY_USES = 100
#: The order of the base point of P-256.
_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551


def _number(value, octets=_OCTETS):
    return value.to_bytes(octets, "big")


def _point(key):
    numbers = key.public_numbers()
    return _number(numbers.x), _number(numbers.y)


def _rsa(count):
    keys = [rsa.generate_private_key(65537, 2048) for _ in range(0, count, _KEY_USES)]
    privates = [key.private_numbers() for key in keys]
    for name, member in (("p", "p"), ("q", "q"), ("dp", "dmp1"), ("dq", "dmq1")):
        yield f"rsa_{name}", [_number(getattr(each, member), 128) for each in privates]
    messages = [f"message {index}".encode() for index in range(count)]
    # PKCS #1 v1.5: 0, 1, octets of ones, 0, and the digest with what says that it is SHA-256.
    info = bytes.fromhex("3031300d060960864801650304020105000420")
    yield "rsa_message", [b"\0\1" + b"\xff" * (253 - len(info) - 32) + b"\0" + info
                          + hashlib.sha256(message).digest() for message in messages]
    yield "rsa_signature", [
        keys[index // _KEY_USES].sign(message, padding.PKCS1v15(), hashes.SHA256())
        for index, message in enumerate(messages)]


def _p256(count):
    edges = [ec.derive_private_key(scalar, ec.SECP256R1()) for scalar in (1, 2, _ORDER - 1)]
    keys = [*edges, *(ec.generate_private_key(ec.SECP256R1()) for _ in range(count))][:count]
    peers = [ec.generate_private_key(ec.SECP256R1()).public_key() for _ in range(count)]
    yield "p256_scalar", [_number(key.private_numbers().private_value) for key in keys]
    yield "p256_point", [b"".join(_point(peer)) for peer in peers]
    yield "p256_secret", [key.exchange(ec.ECDH(), peer)
                          for key, peer in zip(keys, peers, strict=True)]


def _x25519(count):
    edges = [x25519.X25519PrivateKey.from_private_bytes(bytes([octet]) * _OCTETS)
             for octet in (0, 0xff)]
    keys = [*edges, *(x25519.X25519PrivateKey.generate() for _ in range(count))][:count]
    peers = [x25519.X25519PrivateKey.generate().public_key() for _ in range(count)]
    yield "x25519_scalar", [key.private_bytes_raw() for key in keys]
    yield "x25519_u", [peer.public_bytes_raw() for peer in peers]
    yield "x25519_secret", [key.exchange(peer) for key, peer in zip(keys, peers, strict=True)]


def _ecdsa(count):
    signers = [ec.generate_private_key(ec.SECP256R1()) for _ in range(count)]
    messages = [f"message {index}".encode() for index in range(count)]
    pairs = [utils.decode_dss_signature(signer.sign(message, ec.ECDSA(hashes.SHA256())))
             for signer, message in zip(signers, messages, strict=True)]
    points = [_point(signer.public_key()) for signer in signers]
    yield "ecdsa_x", [x for x, _ in points]
    yield "ecdsa_y", [y for _, y in points]
    yield "ecdsa_digest", [hashlib.sha256(message).digest() for message in messages]
    yield "ecdsa_r", [_number(r) for r, _ in pairs]
    yield "ecdsa_s", [_number(s) for _, s in pairs]


_KINDS = {"rsa": _rsa, "p256": _p256, "x25519": _x25519, "ecdsa": _ecdsa}


def write(path, cores, count):
    """Write a header with so many operations of each of the cores that are named.

    Each operation has a secret of its own; with RSA a hundred operations share a key. The first
    secrets are the smallest and the largest that there are.
    """
    lines = [f"#define OPERATIONS {count}", f"#define KEY_USES {_KEY_USES}"]
    for core in cores:
        for name, arrays in _KINDS[core](count):
            rows = ", ".join("{" + ",".join(map(str, octets)) + "}" for octets in arrays)
            lines.append(
                f"static const uint8_t {name}[{len(arrays)}][{len(arrays[0])}] = {{{rows}}};")
    path.touch(0o600)
    path.write_text("\n".join(lines) + "\n")
