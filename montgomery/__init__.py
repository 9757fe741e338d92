"""Montgomery multipliers from the literature as verified Amaranth components."""

from .core import CoreParameters, Cycles, Parameters, Signature
from .registry import architectures, exponentiators

__all__ = ["CoreParameters", "Cycles", "Parameters", "Signature", "architectures", "exponentiators"]
