"""What the program on the SoC is given, and what must come of it, by OpenSSL."""

import hashlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils, x25519

__all__ = ["write"]

_OCTETS = 32


def _number(value, octets=_OCTETS):
    return value.to_bytes(octets, "big")


def _point(key):
    numbers = key.public_numbers()
    return _number(numbers.x), _number(numbers.y)


def _operations(count):
    """Yield names of arrays, and the octets of each operation."""
    key = rsa.generate_private_key(65537, 2048)
    private = key.private_numbers()
    for name, number, octets in (("p", private.p, 128), ("q", private.q, 128),
                                 ("dp", private.dmp1, 128), ("dq", private.dmq1, 128)):
        yield f"rsa_{name}", [_number(number, octets)]
    messages = [f"message {index}".encode() for index in range(count)]
    digests = [hashlib.sha256(message).digest() for message in messages]
    # PKCS #1 v1.5: 0, 1, octets of ones, 0, and the digest with what says that it is SHA-256.
    info = bytes.fromhex("3031300d060960864801650304020105000420")
    yield "rsa_message", [b"\0\1" + b"\xff" * (253 - len(info) - 32) + b"\0" + info + digest
                          for digest in digests]
    yield "rsa_signature", [key.sign(message, padding.PKCS1v15(), hashes.SHA256())
                            for message in messages]

    secret, peers = ec.generate_private_key(ec.SECP256R1()), [
        ec.generate_private_key(ec.SECP256R1()).public_key() for _ in range(count)]
    yield "p256_scalar", [_number(secret.private_numbers().private_value)]
    yield "p256_point", [b"".join(_point(peer)) for peer in peers]
    yield "p256_secret", [secret.exchange(ec.ECDH(), peer) for peer in peers]

    own = x25519.X25519PrivateKey.generate()
    others = [x25519.X25519PrivateKey.generate().public_key() for _ in range(count)]
    yield "x25519_scalar", [own.private_bytes_raw()]
    yield "x25519_u", [other.public_bytes_raw() for other in others]
    yield "x25519_secret", [own.exchange(other) for other in others]

    signer = ec.generate_private_key(ec.SECP256R1())
    pairs = [utils.decode_dss_signature(signer.sign(message, ec.ECDSA(hashes.SHA256())))
             for message in messages]
    x, y = _point(signer.public_key())
    yield "ecdsa_x", [x]
    yield "ecdsa_y", [y]
    yield "ecdsa_digest", digests
    yield "ecdsa_r", [_number(r) for r, _ in pairs]
    yield "ecdsa_s", [_number(s) for _, s in pairs]


def write(path, count):
    """Write a header with so many operations of each core."""
    lines = [f"#define OPERATIONS {count}"]
    for name, arrays in _operations(count):
        rows = ", ".join("{" + ",".join(map(str, octets)) + "}" for octets in arrays)
        lines.append(f"static const uint8_t {name}[{len(arrays)}][{len(arrays[0])}] = {{{rows}}};")
    path.touch(0o600)
    path.write_text("\n".join(lines) + "\n")
