"""Montgomery multipliers from the literature as verified Amaranth components."""

from .core import CoreParameters, Cycles, Parameters, Signature
from .registry import KINDS, Kind, architectures, decryptions, exponentiators

__all__ = ["KINDS", "CoreParameters", "Cycles", "Kind", "Parameters", "Signature", "architectures",
           "decryptions", "exponentiators"]
