"""ECDSA by a board. No message shows a number that depends on a private key."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from montgomery.core import plural
from montgomery.kinds.ecdsa_verification import KIND

from .ecdh import multiple, name_of_curve, require_curve
from .host import BoardError, Client, Result, Signature

__all__ = ["nonces", "released", "sign", "verify"]


def nonces(order: int, key: int, digest: bytes) -> Iterator[int]:
    """Yield the nonces of RFC 6979, 3.2, for a SHA-256; nearly always the first one is used."""
    size = -(-order.bit_length() // 8)

    def mac(data: bytes) -> bytes:
        return hmac.digest(secret, data, "sha256")

    seed = key.to_bytes(size, "big") + (_number(digest, order) % order).to_bytes(size, "big")
    state, secret = b"\1" * len(digest), b"\0" * len(digest)
    for mark in (b"\0", b"\1"):
        secret = mac(state + mark + seed)
        state = mac(state)
    while True:
        found = b""
        while len(found) < size:
            state = mac(state)
            found += state
        if 0 < (nonce := _number(found[:size], order)) < order:
            yield nonce
        secret = mac(state + b"\0")
        state = mac(state)


def _number(data: bytes, order: int) -> int:
    """Return the first bits of bytes as a number, as many as the order has."""
    return int.from_bytes(data, "big") >> max(8 * len(data) - order.bit_length(), 0)


def sign(board: Client, key: ec.EllipticCurvePrivateKey, message: bytes) -> Signature:
    """Return the signature of a message (ECDSA with SHA-256, and the nonce of RFC 6979).

    The board multiplies the base point by the nonce. Numbers modulo the order of the curve are
    Python's, whose time depends on them. :exc:`.BoardError` says that the board does not have the
    curve, or that its result does not verify, and what :meth:`boards.host.Client.operate` says.
    """
    secret, digest = key.private_numbers().private_value, hashlib.sha256(message).digest()
    curve = name_of_curve(key.curve)
    order, clocks = require_curve(board, curve).n, 0
    for nonce in nonces(order, secret, digest):
        (x, _), taken = multiple(board, curve, nonce)
        clocks += taken
        r = x % order
        s = pow(nonce, -1, order) * (_number(digest, order) + r * secret) % order
        if r and s:
            break
    signature = encode_dss_signature(r, s)
    return released(key.public_key().verify, signature, clocks, message, ec.ECDSA(hashes.SHA256()))


def released(verify: Callable[..., None], signature: bytes, clocks: int,
             *others: object) -> Signature:
    """Return a signature that verifies; :exc:`BoardError` says that it does not.

    Two signatures, of which one is wrong, may give the key away.
    """
    try:
        verify(signature, *others)
    except InvalidSignature:
        raise BoardError("The signature that the board made does not verify; run its self-test"
                         ) from None
    return Signature(signature=signature, clocks=clocks)


def verify(board: Client, key: ec.EllipticCurvePublicKey, message: bytes,
           signature: bytes) -> Result:
    """Return 1 if a signature is that of a message (ECDSA with SHA-256), or else 0.

    All is computed on the board, but for the digest. A number that is too large to be sent takes no
    clocks. :exc:`.BoardError` says that the board has no
    core that verifies for the curve, and what :meth:`boards.host.Client.operate` says;
    :exc:`ValueError` that the signature does not have the DER form.
    """
    curve = require_curve(board, name_of_curve(key.curve), KIND)
    digest = hashlib.sha256(message).digest()
    try:
        r, s = decode_dss_signature(signature)
    except ValueError:
        raise ValueError("A signature must have the DER form, as openssl writes it, unlike this "
                         f"one of {plural(len(signature), 'byte')}") from None
    if not all(0 <= number < 1 << board.info.parameters.width for number in (r, s)):
        return Result(value=0, clocks=0)
    public = key.public_numbers()
    return board.operate(_number(digest, curve.n), r, s, public.x, public.y)
