"""Multiples of points by a board: ECDH and ECDSA.

No message shows a number that depends on a private key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.hmac import HMAC

from montgomery.core import Kind, kind_of
from montgomery.kinds.base_multiplication import KIND as BASE
from montgomery.kinds.ecdsa_verification import KIND as VERIFICATION
from montgomery.kinds.scalar_multiplication import KIND as SCALAR
from montgomery.numbers.catalogue import EDWARDS, called
from montgomery.numbers.curves import EdwardsCurve, WeierstrassCurve

from .host import BoardError, Client
from .objects import OfPoints, OnBoard, digest_of

__all__ = ["EllipticCurvePrivateKey", "EllipticCurvePublicKey", "Multiplier", "nonces",
           "require_curve"]


class Multiplier(OfPoints):
    """A private key by which the board multiplies points of a curve with a base point."""

    def _multiple(self, curve: str, scalar: int,
                  point: tuple[int, int] | None = None) -> tuple[int, int]:
        """Return the multiple of a point, of the base point if None."""
        domain = require_curve(self._board, curve, SCALAR if point else BASE)
        core: Any = self._board.info.parameters
        takes_point = kind_of(core).name == SCALAR.name
        value = self._operate(scalar, *(point or domain.base if takes_point else ()))
        bits = core.word_width * core.field_words
        x, y = value % (1 << bits), value >> bits
        # A wrong point would tell of the scalar. Infinity, (0, 0), is no multiple by a key.
        if not domain.contains(x, y):
            raise BoardError(f"The board gave no point of {domain.name} as the product; run its "
                             "self-test")
        return x, y


class EllipticCurvePrivateKey(Multiplier, of=ec.EllipticCurvePrivateKey):
    """A key for signatures and shared secrets, which a core for the base point does not make."""

    def exchange(self, algorithm: ec.ECDH, peer_public_key: ec.EllipticCurvePublicKey) -> bytes:
        """Return the first coordinate of the shared point, as long as the prime of the curve.

        :exc:`ValueError` says that the keys are of different curves.
        """
        if not isinstance(algorithm, ec.ECDH):
            raise UnsupportedAlgorithm("Secrets of curves are shared by ECDH() alone")
        self._check_peer(peer_public_key, ec.EllipticCurvePublicKey)
        own, other = called(self._key.curve.name), called(peer_public_key.curve.name)
        if own != other:
            raise ValueError(f"Both keys must be of one curve, but the private key is of {own} and "
                             f"the public key of {other}; give a public key of {own}")
        peer = peer_public_key.public_numbers()
        x, _ = self._multiple(own, self._key.private_numbers().private_value, (peer.x, peer.y))
        return x.to_bytes(-(-self._key.key_size // 8), "big")

    def sign(self, data: bytes, signature_algorithm: ec.EllipticCurveSignatureAlgorithm) -> bytes:
        """Return a signature in DER form, whose nonce is always that of RFC 6979.

        The board multiplies the base point by the nonce. Numbers modulo the order of the curve are
        Python's, whose time depends on them.
        """
        digest, algorithm = _digest_of(data, signature_algorithm)
        secret, curve = self._key.private_numbers().private_value, called(self._key.curve.name)
        order = require_curve(self._board, curve).n
        for nonce in nonces(order, secret, digest, algorithm):
            r = self._multiple(curve, nonce)[0] % order
            s = pow(nonce, -1, order) * (_number(digest, order) + r * secret) % order
            if r and s:
                break
        return self._released(encode_dss_signature(r, s), digest, ec.ECDSA(Prehashed(algorithm)))

    def _agrees(self, public: ec.EllipticCurvePublicKey) -> bool:
        numbers = public.public_numbers()
        return (numbers.x, numbers.y) == self._multiple(
            called(self._key.curve.name), self._key.private_numbers().private_value)


class EllipticCurvePublicKey(OnBoard, of=ec.EllipticCurvePublicKey):
    """A key that verifies; all is computed on the board, but for the digest."""

    def verify(self, signature: bytes, data: bytes,
               signature_algorithm: ec.EllipticCurveSignatureAlgorithm) -> None:
        """Raise :exc:`InvalidSignature` if a signature in DER form is not that of data.

        A number that is too large to be sent takes no operation.
        """
        digest, _ = _digest_of(data, signature_algorithm)
        curve = require_curve(self._board, called(self._key.curve.name), VERIFICATION)
        try:
            numbers = decode_dss_signature(bytes(signature))
        except ValueError:
            raise InvalidSignature from None
        public, width = self._key.public_numbers(), self._board.info.parameters.width
        if any(number >> width for number in numbers) or not self._operate(
                _number(digest, curve.n), *numbers, public.x, public.y):
            raise InvalidSignature


def require_curve(board: Client, curve: str, kind: Kind = BASE) -> WeierstrassCurve | EdwardsCurve:
    """Return the curve of the core on a board, which must be that of a key, by name.

    Multiples of the base point, of kind :data:`BASE`, are made by cores for any point, too.
    :exc:`BoardError` says that the core is of another kind or curve.
    """
    core: Any = board.info.parameters
    if kind_of(core).name != kind.name:
        board.require((SCALAR if kind is BASE and curve not in EDWARDS else kind).name)
    if curve != core.domain.name:
        raise BoardError(f"The {kind_of(core).noun} on the board is for the curve "
                         f"{core.domain.name}, and the key is of {curve}; take a key of "
                         f"{core.domain.name}")
    return core.domain


def nonces(order: int, key: int, digest: bytes, algorithm: hashes.HashAlgorithm) -> Iterator[int]:
    """Yield the nonces of RFC 6979, 3.2, for a digest; nearly always the first one is used."""
    size = -(-order.bit_length() // 8)

    def mac(data: bytes) -> bytes:
        state = HMAC(secret, algorithm)
        state.update(data)
        return state.finalize()

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


def _digest_of(data: bytes, algorithm: ec.EllipticCurveSignatureAlgorithm,
               ) -> tuple[bytes, hashes.HashAlgorithm]:
    if not isinstance(algorithm, ec.ECDSA):
        raise UnsupportedAlgorithm("Keys of curves sign by ECDSA(...) alone")
    return digest_of(data, algorithm.algorithm)
