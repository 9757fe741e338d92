"""Montgomery multipliers from the literature as verified Amaranth components."""

from .core import Cycles, Parameters, Signature, architectures, exponentiators

__all__ = ["Cycles", "Parameters", "Signature", "architectures", "exponentiators"]
