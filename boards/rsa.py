"""RSA signatures by a board. No message shows a number that depends on the key."""

from __future__ import annotations

import hashlib
import math
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa

from montgomery import KINDS, CoreParameters
from montgomery.core import check_operands, input_names, kind_of, traits
from montgomery.kinds.rsa_crt import LONGEST_PUBLIC

from .host import BoardError, Client, Signature

__all__ = ["join", "operations", "sign"]

#: What precedes a SHA-256 in the padding of PKCS #1 v1.5 (RFC 8017, 9.2, note 1).
_SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")
#: Bytes of the padding beside the text, the least of which there must be.
_LEAST_PADDING = 11


def operations(core: Any, key: rsa.RSAPrivateNumbers,
               message: int) -> list[tuple[tuple[int, ...], dict]]:
    """Return inputs and options of the operations that raise a message to a key's private exponent.

    There is one operation; or two of half the length, whose results :func:`join` joins; or none, if
    the core is too short. The time of none tells the exponent, if that of the core does not.
    """
    modulus, longer = key.public_numbers.n, max(key.p, key.q).bit_length()
    if _takes_factors(core):
        return [((message, key.dmp1, key.dmq1, key.p, key.q), {"exponent_bits": longer})]
    if modulus.bit_length() <= core.width:
        # OpenSSL takes any exponent with the same remainder, and writes it into files.
        exponent = key.d % math.lcm(key.p - 1, key.q - 1)
        return [((message, exponent, modulus), {"exponent_bits": modulus.bit_length()})]
    if longer > core.width:
        return []
    return [((message % prime, exponent, prime), {"exponent_bits": prime.bit_length()})
            for prime, exponent in ((key.p, key.dmp1), (key.q, key.dmq1))]


def _takes_factors(core: Any) -> bool:
    return "p" in input_names(core)


def join(key: rsa.RSAPrivateNumbers, of_p: int, of_q: int) -> int:
    """Return the number below the modulus that is ``of_p`` modulo p and ``of_q`` modulo q."""
    return of_q + key.q * ((of_p - of_q) * key.iqmp % key.p)


def sign(board: Client, key: rsa.RSAPrivateKey, message: bytes) -> Signature:
    """Return the signature of a message (RSASSA-PKCS1-v1_5 with SHA-256), by :func:`operations`.

    :exc:`.BoardError` says that the core does not take the key, or that its result does not verify,
    and what :meth:`boards.host.Client.operate` says; :exc:`ValueError` that the key is too
    short for the padding.
    """
    core = board.info.parameters
    if not kind_of(core).does_rsa:
        board.require(next(kind.name for kind in KINDS.values() if kind.does_rsa))
    numbers = key.private_numbers()
    modulus, public = numbers.public_numbers.n, numbers.public_numbers.e
    size = -(-modulus.bit_length() // 8)
    digest = _SHA256 + hashlib.sha256(message).digest()
    if size < len(digest) + _LEAST_PADDING:
        raise ValueError(f"A key must have {8 * (len(digest) + _LEAST_PADDING)} bits or more for a "
                         f"signature with SHA-256, not {modulus.bit_length()}; take a longer one")
    padded = int.from_bytes(b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest, "big")
    needed = operations(core, numbers, padded)
    if not needed:
        raise BoardError(_refusal(core, numbers))
    try:
        for inputs, options in needed:
            check_operands(core, *inputs, **options)
    except ValueError:
        # What it says may show the operand, and that is secret.
        raise BoardError(_refusal(core, numbers)) from None
    parts = [board.operate(*inputs, **options) for inputs, options in needed]
    values = [part.value for part in parts]
    value = values[0] if len(values) == 1 else join(numbers, *values)
    # A fault in one half would give the key away to whoever sees the signature. OpenSSL is not
    # asked, since it limits the public exponents of long keys to 64 bits.
    if value >= modulus or pow(value, public, modulus) != padded:
        raise BoardError("The signature that the board made does not verify; run its self-test")
    return Signature(signature=value.to_bytes(size, "big"),
                     clocks=sum(part.clocks for part in parts), operations=len(parts))


def _refusal(core: CoreParameters, key: rsa.RSAPrivateNumbers) -> str:
    """Return why a core does not take a key; the text tells lengths only."""
    whole, public, of_p, of_q = (number.bit_length() for number in (
        key.public_numbers.n, key.public_numbers.e, key.p, key.q))
    longer = max(of_p, of_q)
    # Half of an odd width is rounded up.
    least = max(whole, 2 * longer - 1) if _takes_factors(core) else longer
    board = f"The {kind_of(core).noun} on the board"
    if least > core.width:
        return (f"{board} has {core.width} bits, and does not take a key of {whole} bits with "
                f"factors of {of_p} and {of_q} bits; program it with one of {least} bits")
    if traits(core).checks and public > LONGEST_PUBLIC:
        return (f"{board} checks its results with the public exponent, which must have "
                f"{LONGEST_PUBLIC} bits or fewer, and that of this key has {public}; program "
                f"the board with the same core and -p check=none, or with an exponentiator of "
                f"{longer} bits or more")
    return (f"{board} does not take this key, of which a factor divides a constant of the core; "
            "take another key")
