"""The prime of Curve25519 and Ed25519."""

from .folding_model import FoldedPrime

__all__ = ["PRIME"]

PRIME = FoldedPrime("Curve25519", bits=255, less=19)
