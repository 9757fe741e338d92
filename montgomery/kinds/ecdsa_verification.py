"""Verification of ECDSA signatures."""

import abc
import dataclasses
from typing import ClassVar

from ..core import Kind
from ..numbers.catalogue import WEIERSTRASS
from ._curve_core import VerifyingCore, curve_among, width_of

__all__ = ["INPUTS", "KIND", "EcdsaVerifier"]

INPUTS = {
    "z": "Digest of the message, as a number.",
    "r": "First number of the signature.", "s": "Second number of the signature.",
    "x": "First coordinate of the public key.", "y": "Second coordinate of the public key."}

KIND = Kind(
    name="ecdsa_verification", prefix="ecdsa_verification", group="ecdsa_verification",
    noun="core for ECDSA verification", nouns="cores for ECDSA verification",
    operation="ECDSA verification", formula="1 if (r, s) signs z under (x, y), else 0",
    inputs=INPUTS)


@dataclasses.dataclass(frozen=True, kw_only=True)
class EcdsaVerifier(VerifyingCore):
    """What a core for ECDSA verification is made with; see :class:`montgomery.CoreParameters`.

    An operation tells whether r and s are a signature under a public key: whether both are from 1
    to n - 1, where n is the order of the base point G, the key is a point of the curve, with
    coordinates below its prime, and the sum of the multiples z/s G and r/s (x, y) has a first
    coordinate that is r modulo n. The result is 1 if all of this holds, and 0 if not. z is the
    digest, of which the highest bits count if it is longer than n.

    Any numbers that fit in their words are taken. There is nothing secret.
    """

    _kind, _curves = KIND, WEIERSTRASS
    _inputs: ClassVar = {"z": "the digest", "r": "the first number of the signature",
                         "s": "the second number of the signature",
                         "x": "the first coordinate of the public key",
                         "y": "the second coordinate of the public key"}

    width: int = width_of(WEIERSTRASS)
    curve: str = curve_among(WEIERSTRASS)

    @abc.abstractmethod
    def compute(self, z: int, r: int, s: int, x: int, y: int) -> int:
        """Return 1 if a signature is valid and 0 if it is not, by the steps of the hardware."""

    def _check_operands(self, *inputs):
        self._check_fits(f"give the highest {self.width} bits of a digest, and other numbers as "
                         "they are", **dict(zip(INPUTS, inputs, strict=True)))
