"""Private RSA keys in files. Messages tell the kind and the length of a key, nothing else."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import math
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import pkcs12

from .host import with_article

__all__ = ["load_key", "load_password"]

#: The object identifiers id-RSASSA-PSS (RFC 8017, appendix C) and data (RFC 5652, section 4), with
#: which every PKCS #12 file begins, in DER.
_PSS = bytes.fromhex("06092a864886f70d01010a")
_DATA = bytes.fromhex("06092a864886f70d010701")
#: Bytes in which the latter is.
_HEAD = 40
_DER_SEQUENCE = 0x30
#: A block of PEM at the beginning of a line, which a byte order mark may precede. A block that is
#: cut off ends where the next one begins.
_BLOCK = re.compile(rb"^(?:\xef\xbb\xbf|[ \t])*-----BEGIN ([A-Z0-9 ]+)-----"
                    rb"((?:(?!-----BEGIN ).)*?)-----END \1-----", re.MULTILINE | re.DOTALL)
_CERTIFICATE = "holds a certificate; give the private key that belongs to it"
#: The header of RFC 1421, section 4.6.1.1, in a block that OpenSSL has encrypted by itself.
_ENCRYPTED = re.compile(rb"^Proc-Type:\s*4\s*,\s*ENCRYPTED", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class _Block:
    """A block of a PEM file, or a whole file in DER form, whose label is empty.

    Attributes
    ----------
    label : str
    headers : bytes
        The lines before the contents, with an end of line each.
    der : bytes
        The contents; nothing if they cannot be decoded.
    """

    label: str
    headers: bytes
    der: bytes

    @property
    def encrypted(self) -> bool:
        """Whether the label or a header of the block itself says that it is encrypted.

        What is in DER form says so by its contents.
        """
        if not self.label:
            try:
                self.load(None)
            except TypeError:
                return True
            except (ValueError, UnsupportedAlgorithm):
                return False
        return (self.label == "ENCRYPTED PRIVATE KEY"
                or _ENCRYPTED.search(self.headers) is not None)

    def load(self, password: bytes | None) -> PrivateKeyTypes | None:
        """Return the key, by its contents, since labels may be wrong; None if there is none.

        Raises
        ------
        TypeError
            If a password is missing, or not needed.
        ValueError, UnsupportedAlgorithm
            If the block cannot be read.
        """
        if _ENCRYPTED.search(self.headers):
            label, text = self.label.encode(), base64.encodebytes(self.der)
            pem = b"-----BEGIN %s-----\n%s\n%s-----END %s-----\n" % (label, self.headers, text,
                                                                     label)
            return serialization.load_pem_private_key(pem, password)
        if not self.label and _DATA in self.der[:_HEAD]:
            try:
                return pkcs12.load_key_and_certificates(self.der, password)[0]
            except ValueError:
                if password is None:
                    raise TypeError("A PKCS #12 file is encrypted") from None
                raise
        # Numbers that follow from others may be missing or wrong; they are not used.
        return serialization.load_der_private_key(self.der, password,
                                                  unsafe_skip_rsa_key_validation=True)


def load_password(path: str | os.PathLike) -> bytes:
    """Return the password in the first line of a file.

    Raises
    ------
    ValueError
        If that line is empty.
    OSError
        If the file cannot be read.
    """
    lines = Path(path).read_bytes().splitlines()
    if not lines or not lines[0]:
        raise ValueError(f"The first line of {path} must be the password of the key, but it is "
                         "empty")
    return lines[0]


def load_key(path: str | os.PathLike, password: bytes | None = None) -> rsa.RSAPrivateKey:
    """Return the first private key in a file, an RSA key, as ``openssl pkey`` does.

    The file is in PEM form, with anything around and between its blocks, or in DER form. Blocks
    that cannot be read are passed over, if there is one that can.

    Raises
    ------
    ValueError
        If the file holds no such key, or the password is wrong, missing, or not needed.
    OSError
        If the file cannot be read.
    """
    data = Path(path).read_bytes()
    blocks = list(_blocks(data))
    private = [block for block in blocks if block.label in ("", "PRIVATE KEY") or (
        block.label.endswith(" PRIVATE KEY") and not block.label.startswith("OPENSSH"))]
    complaints = []
    for block in private:
        try:
            key = block.load(password)
            if isinstance(key, rsa.RSAPrivateKey):
                key = _completed(key)
        except TypeError:
            raise ValueError(
                f"The key in {path} is encrypted; give its password with --password-file"
                if password is None else
                f"The key in {path} is not encrypted; leave --password-file out") from None
        except (ValueError, UnsupportedAlgorithm) as error:
            complaints.append(_unreadable(path, block, error))
            continue
        if key is None:
            raise ValueError(f"{path} {_CERTIFICATE}")
        if not isinstance(key, rsa.RSAPrivateKey):
            kind = type(key).__name__.removesuffix("PrivateKey")
            raise ValueError(f"{path} holds {with_article(kind)} key; signing needs an RSA key")
        if _PSS in block.der:
            raise ValueError(f"The key in {path} may sign by RSASSA-PSS only, and this signs by "
                             "PKCS #1 v1.5; give another RSA key")
        return key
    raise ValueError(complaints[0] if complaints else f"{path} {_other(path, data, blocks)}")


def _blocks(data: bytes) -> Iterator[_Block]:
    """Yield the blocks of a PEM file, or the contents of a file in DER form."""
    if data[:1] == bytes([_DER_SEQUENCE]):
        yield _Block("", b"", data)
        return
    for label, text in _BLOCK.findall(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")):
        # Headers end with an empty line, and without headers there is no colon.
        headers, body = b"", text.strip()
        if b":" in body:
            headers, _, body = re.sub(rb"[ \t]+$", b"", body, flags=re.MULTILINE).partition(b"\n\n")
            headers += b"\n"
        try:
            der = base64.b64decode(b"".join(body.split()), validate=True)
        except binascii.Error:
            der = b""
        yield _Block(label.decode(), headers, der)


def _completed(key: rsa.RSAPrivateKey) -> rsa.RSAPrivateKey:
    """Return a key with all numbers that follow from n, e and d, and with a d below n.

    Raises
    ------
    ValueError
        If the numbers do not belong together.
    """
    numbers = key.private_numbers()
    public, d, p, q = numbers.public_numbers, numbers.d, numbers.p, numbers.q
    if not (p and q):
        p, q = rsa.rsa_recover_prime_factors(public.n, public.e, d)
    if p * q != public.n or math.gcd(p, q) != 1:
        raise ValueError("The modulus must be the product of two primes")
    if d >= public.n:  # which any exponent with the same remainder is, and OpenSSL signs with
        d %= math.lcm(p - 1, q - 1)
    return rsa.RSAPrivateNumbers(
        p=p, q=q, d=d, dmp1=rsa.rsa_crt_dmp1(d, p), dmq1=rsa.rsa_crt_dmq1(d, q),
        iqmp=rsa.rsa_crt_iqmp(p, q), public_numbers=public).private_key()


def _unreadable(path: str | os.PathLike, block: _Block, error: Exception) -> str:
    """Return what is said of a private key that cannot be read."""
    if not block.encrypted and not block.label:
        return (f"{path} is in DER form, and holds no private RSA key of two primes, or a damaged "
                "one; give another file")
    if not block.encrypted:
        return (f"The key in {path} is damaged, too short, or of a kind that is not known here; "
                "signing needs an RSA key of two primes")
    if "unknown" in str(error).lower() or isinstance(error, UnsupportedAlgorithm):
        return (f"The key in {path} is encrypted by a cipher that is not known here; encrypt a "
                f"copy by another one with: openssl pkey -aes256 -in {_quoted(path)} -out NEW.pem")
    return f"The password does not open {path}, or the key in it is damaged"


def _other(path: str | os.PathLike, data: bytes, blocks: list[_Block]) -> str:
    """Return what a file without a private key holds instead, and what to do."""
    labels = [block.label for block in blocks]
    if any(label.startswith("OPENSSH") for label in labels):
        return ("holds a key in the format of OpenSSH; copy the file, and convert the copy with: "
                f"cp -- {_quoted(path)} NEW.pem && ssh-keygen -p -m PEM -f NEW.pem")
    if any(label.endswith("PUBLIC KEY") for label in labels):
        return "holds a public key; give the private key that belongs to it"
    if any(label.endswith("CERTIFICATE") for label in labels):
        return _CERTIFICATE
    for code in ("UTF-16LE", "UTF-16BE"):
        # At an odd place it is text of the other order.
        if data.find("-----BEGIN ".encode(code)) % 2 == 0:
            return (f"is text in UTF-16, and a PEM file is ASCII; convert it with: iconv -f {code} "
                    f"-t UTF-8 < {_quoted(path)} > NEW.pem")
    return ("holds no private key in PEM form; 'openssl genrsa -out NEW.pem 2048' makes a key in "
            "another file")


def _quoted(path: str | os.PathLike) -> str:
    return shlex.quote(os.fspath(path))
