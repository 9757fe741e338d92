"""Verification of EdDSA signatures."""

import abc
import dataclasses
from typing import ClassVar

from ..core import Kind
from ..numbers.catalogue import EDWARDS
from ._curve_core import VerifyingCore, curve_among, width_of

__all__ = ["INPUTS", "KIND", "EddsaVerifier"]

INPUTS = {
    "k": "Hash of R, the public key and the message, modulo the order.",
    "s": "Second half of the signature.", "a": "Public key.",
    "r": "First half of the signature, R."}

KIND = Kind(
    name="eddsa_verification", prefix="eddsa_verification", group="eddsa_verification",
    noun="core for EdDSA verification", nouns="cores for EdDSA verification",
    operation="EdDSA verification", formula="1 if s B = R + k A, else 0", inputs=INPUTS)


@dataclasses.dataclass(frozen=True, kw_only=True)
class EddsaVerifier(VerifyingCore):
    """What a core for EdDSA verification is made with; see :class:`montgomery.CoreParameters`.

    An operation is step 1 and step 3 of RFC 8032, 5.1.7, with the equation without the cofactor:
    the result is 1 if s B - k A, as octets, is R, and else 0. The public key A and R are numbers
    of 32 octets, the lowest one first. Refused, with 0, are s from the order n of the base point B
    on; a key whose y is not below the prime, for which there is no x, or whose x is 0 with the
    sign 1; and so each R that is not the shortest encoding of a point. A key of small order is a
    key, as in the RFC.

    The host hashes: k is SHA-512 of R, A and the message, modulo n. Any numbers that fit in their
    words are taken. There is nothing secret.
    """

    _kind, _curves = KIND, EDWARDS
    _inputs: ClassVar = {"k": "the hash, modulo the order", "s": "the second half of the signature",
                         "a": "the public key", "r": "the first half of the signature"}

    width: int = width_of(EDWARDS)
    curve: str = curve_among(EDWARDS)

    @property
    def _bits(self) -> int:
        """Bits of the octets of a point: a coordinate, and the sign of the other one."""
        return self.width + 1

    @abc.abstractmethod
    def compute(self, k: int, s: int, a: int, r: int) -> int:
        """Return 1 if a signature is valid and 0 if it is not, by the steps of the hardware."""

    def _check_operands(self, *inputs):
        self._check_fits(f"give {(self._bits + 7) // 8} octets",
                         **dict(zip(INPUTS, inputs, strict=True)))
