"""RSA signatures by a board. No message shows a number that depends on the key."""

from __future__ import annotations

import math
import secrets
from typing import Any, NoReturn

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import PSS, AsymmetricPadding, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.utils import NoDigestInfo, Prehashed

from montgomery import KINDS, CoreParameters
from montgomery.core import check_operands, input_names, kind_of, traits
from montgomery.kinds.rsa_crt import LONGEST_PUBLIC

from .host import BoardError
from .objects import OnBoard, digest_of, hashed

__all__ = ["RSAPrivateKey"]

#: Object identifiers of hashes, in DER: of SHA-1, and by their last octets those of NIST.
_HASHES = {"sha1": bytes.fromhex("06052b0e03021a"), **{
    name: bytes.fromhex("06096086480165030402") + bytes([last]) for last, name in enumerate((
        "sha256", "sha384", "sha512", "sha224", "sha512-224", "sha512-256", "sha3-224", "sha3-256",
        "sha3-384", "sha3-512"), 1)}}
#: Bytes of the padding of PKCS #1 v1.5 beside the text, the least of which there must be.
_LEAST_PADDING = 11


class RSAPrivateKey(OnBoard, of=rsa.RSAPrivateKey):
    """A key that signs by one operation of its length, or by two of half of it.

    The time of none tells the exponent, if that of the core does not. The message is blinded: the
    board gets it times a random number.
    """

    def sign(self, data: bytes, padding: AsymmetricPadding,
             algorithm: hashes.HashAlgorithm | Prehashed | NoDigestInfo) -> bytes:
        """Return the signature of data, by PKCS #1 v1.5 or PSS and a hash of NIST.

        :exc:`ValueError` says that the key is too short for the padding, or a digest has the wrong
        length; :exc:`UnsupportedAlgorithm` that the padding or the hash is another one.
        """
        numbers, core = self._key.private_numbers(), self._board.info.parameters
        modulus, public = numbers.public_numbers.n, numbers.public_numbers.e
        padded = _padded(modulus.bit_length(), data, padding, algorithm)
        if not kind_of(core).does_rsa:
            self._board.require(next(kind.name for kind in KINDS.values() if kind.does_rsa))
        # Nearly certain to be coprime to the modulus, whose factors it would show otherwise.
        blind = secrets.randbelow(modulus - 1) + 1
        needed = _operations(core, numbers, padded * pow(blind, public, modulus) % modulus)
        try:
            for inputs, options in needed:
                check_operands(core, *inputs, **options)
        except ValueError:
            # What it says may show the operand, and that is secret.
            needed = []
        if not needed:
            raise BoardError(_refusal(core, numbers))
        *of_p, value = [self._operate(*inputs, **options) for inputs, options in needed]
        if of_p:
            value += numbers.q * ((of_p[0] - value) * numbers.iqmp % numbers.p)
        value = value * pow(blind, -1, modulus) % modulus
        # A fault in one half would give the key away to whoever sees the signature. OpenSSL is not
        # asked, since it limits the public exponents of long keys to 64 bits.
        if pow(value, public, modulus) != padded:
            raise BoardError("The signature that the board made does not verify; run its self-test")
        return value.to_bytes(-(-modulus.bit_length() // 8), "big")

    def decrypt(self, ciphertext: bytes, padding: AsymmetricPadding) -> NoReturn:
        raise UnsupportedAlgorithm("A key of RSA on a board signs, and decrypts nothing; decrypt "
                                   "by the key from the file")


def _padded(bits: int, data: bytes, padding: AsymmetricPadding, algorithm: Any) -> int:
    """Return what is raised to the private exponent of a key of so many bits; RFC 8017, 9."""
    if not isinstance(padding, AsymmetricPadding):
        raise TypeError(f"The padding must be PKCS1v15() or PSS(), not {type(padding).__name__}")
    if not isinstance(padding, PKCS1v15 | PSS):
        raise UnsupportedAlgorithm(f"The padding of a signature must be PKCS1v15 or PSS, not "
                                   f"{padding.name}; take one of them")
    if isinstance(padding, PKCS1v15) and isinstance(algorithm, NoDigestInfo):
        return _with_ones(bits, bytes(data))
    digest, hash_ = digest_of(data, algorithm)
    if hash_.name not in _HASHES:
        raise UnsupportedAlgorithm(f"The hash must be one of {', '.join(_HASHES)}, not "
                                   f"{hash_.name}; take one of them")
    if isinstance(padding, PSS):
        return _with_salt(bits, digest, hash_, padding)
    return _with_ones(bits, _der(0x30, _der(0x30, _HASHES[hash_.name], b"\5\0"), _der(4, digest)))


def _der(tag: int, *contents: bytes) -> bytes:
    content = b"".join(contents)
    return bytes([tag, len(content)]) + content


def _with_ones(bits: int, text: bytes) -> int:
    _check_length(bits, 8 * (len(text) + _LEAST_PADDING) - 7)
    ones = -(-bits // 8) - len(text) - 3
    return int.from_bytes(b"\1" + b"\xff" * ones + b"\0" + text, "big")


def _with_salt(bits: int, digest: bytes, hash_: hashes.HashAlgorithm, padding: PSS) -> int:
    size, own, mask_hash = (bits + 6) // 8, hash_.digest_size, padding._mgf._algorithm
    length: Any = padding._salt_length
    if length in (PSS.MAX_LENGTH, PSS.DIGEST_LENGTH):
        length = own if length is PSS.DIGEST_LENGTH else max(size - own - 2, 0)
    if length is PSS.AUTO:
        raise ValueError("The salt of a signature must have a length, not PSS.AUTO; take "
                         "PSS.DIGEST_LENGTH")
    _check_length(bits, 8 * (own + length + 2) - 6)
    salt = secrets.token_bytes(length)
    last = hashed(hash_, bytes(8), digest, salt)
    mask = b"".join(hashed(mask_hash, last, index.to_bytes(4, "big"))
                    for index in range(-(-size // mask_hash.digest_size)))[:size - own - 1]
    first = int.from_bytes(mask, "big") ^ int.from_bytes(b"\1" + salt, "big")
    first %= 1 << bits - 9 - 8 * own
    return (first << 8 * own | int.from_bytes(last, "big")) << 8 | 0xBC


def _check_length(bits: int, least: int) -> None:
    if bits < least:
        raise ValueError(f"A key must have {least} bits or more for this padding and hash, not "
                         f"{bits}; take a longer one, or a shorter hash or salt")


def _operations(core: Any, key: rsa.RSAPrivateNumbers,
                message: int) -> list[tuple[tuple[int, ...], dict[str, int]]]:
    """Return inputs and options of the operations that raise a message to a key's private exponent.

    There is one operation; or two of half the length, modulo p and q; or none, if the core is too
    short.
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
