"""ECDSA signatures by a board. No message shows a number that depends on the key."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
from collections.abc import Iterator

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from .host import BoardError, Client
from .points import domain_of, multiple

__all__ = ["Signature", "nonces", "sign"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Signature:
    """A signature in DER form, checked with the public key.

    Attributes
    ----------
    clocks : int
        Clocks of the multiplication, counted on the board.
    """

    signature: bytes
    clocks: int


def nonces(order: int, key: int, digest: bytes) -> Iterator[int]:
    """Yield the nonces for the SHA-256 of a message, of which the first is nearly always used.

    See RFC 6979, 3.2.
    """
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
    Python's, whose time depends on them.

    Raises
    ------
    BoardError
        If the board does not have the curve, or its result does not verify; and as
        :meth:`boards.host.Client.operate` does.
    """
    secret, digest = key.private_numbers().private_value, hashlib.sha256(message).digest()
    order, clocks = domain_of(board, key.curve).n, 0
    for nonce in nonces(order, secret, digest):
        (x, _), taken = multiple(board, key.curve, nonce)
        clocks += taken
        r = x % order
        s = pow(nonce, -1, order) * (_number(digest, order) + r * secret) % order
        if r and s:
            break
    signature = encode_dss_signature(r, s)
    # Two signatures, of which one is wrong, may give the key away.
    try:
        key.public_key().verify(signature, message, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise BoardError("The signature that the board made does not verify; run its self-test"
                         ) from None
    return Signature(signature=signature, clocks=clocks)
