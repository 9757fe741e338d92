"""RSA signatures by a board. No message shows a number that depends on the key."""

from __future__ import annotations

import dataclasses
import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from montgomery import KINDS, CoreParameters
from montgomery.operations import RsaKey

from .host import BoardError, Client, with_article

__all__ = ["Signature", "sign"]

#: What precedes a SHA-256 in the padding of PKCS #1 v1.5 (RFC 8017, 9.2, note 1).
_SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")
#: Bytes of the padding beside the text, the least of which there must be.
_LEAST_PADDING = 11


@dataclasses.dataclass(frozen=True, kw_only=True)
class Signature:
    """A signature, checked with the public key.

    Attributes
    ----------
    signature : bytes
    clocks : int
        Clocks of all operations, counted on the board.
    exponentiations : int
        Number of operations: one, or two of half the length by the Chinese remainder theorem, if
        the core does not do both in one operation.
    """

    signature: bytes
    clocks: int
    exponentiations: int


def sign(board: Client, key: rsa.RSAPrivateKey, message: bytes) -> Signature:
    """Return the signature of a message (RSASSA-PKCS1-v1_5 with SHA-256).

    The board computes it by one exponentiation, or by two of half the length if the core is too
    short for one, or by one operation if the core takes the factors of the key. The time does not
    depend on the exponent, if that of the core does not.

    Raises
    ------
    BoardError
        If the core does not take the key, or its result does not verify; and as
        :meth:`boards.host.Client.exponentiate` does.
    ValueError
        If the key is too short for the padding.
    """
    core = board.info.parameters
    if not core.does_rsa:
        board.require(next(kind.name for kind in KINDS.values() if kind.base.does_rsa))
    numbers = key.private_numbers()
    modulus = numbers.public_numbers.n
    size = -(-modulus.bit_length() // 8)
    digest = _SHA256 + hashlib.sha256(message).digest()
    if size < len(digest) + _LEAST_PADDING:
        raise ValueError(f"A key must have {8 * (len(digest) + _LEAST_PADDING)} bits or more for a "
                         f"signature with SHA-256, not {modulus.bit_length()}; take a longer one")
    padded = int.from_bytes(b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest, "big")
    private = RsaKey(n=modulus, d=numbers.d, p=numbers.p, q=numbers.q, d_p=numbers.dmp1,
                     d_q=numbers.dmq1, q_inverse=numbers.iqmp)
    operations = core.rsa_operations(private, padded)
    if not operations:
        raise BoardError(f"A key of {modulus.bit_length()} bits takes {with_article(core.noun)} of "
                         f"at least half as many, and the board has one of {core.width}; program "
                         f"it with a wider one")
    for inputs, options in operations:
        try:
            core.check_operands(*inputs, **options)
        except ValueError:
            # What it says may show the operand, and that is secret.
            raise BoardError(_refusal(core, private)) from None
    parts = [board.operate(*inputs, **options) for inputs, options in operations]
    values = [part.value for part in parts]
    value = values[0] if len(values) == 1 else private.join(*values)
    signature = value.to_bytes(size, "big") if value < modulus else b""
    try:
        # A fault in one half would give the key away to whoever sees the signature.
        key.public_key().verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise BoardError("The signature that the board made does not verify; run its self-test"
                         ) from None
    return Signature(signature=signature, clocks=sum(part.clocks for part in parts),
                     exponentiations=len(parts))


def _refusal(core: CoreParameters, key: RsaKey) -> str:
    """Return why a core does not take a key; the text tells lengths only."""
    whole, of_p, of_q = (number.bit_length() for number in (key.n, key.p, key.q))
    least = max(whole, 2 * of_p, 2 * of_q)
    advice = (f"program it with one of {least} bits" if least > core.width
              else "take another key: a factor of this one divides a constant of the core")
    return (f"The {core.noun} on the board has {core.width} bits, and does not take a key of "
            f"{whole} bits with factors of {of_p} and {of_q} bits; {advice}")
