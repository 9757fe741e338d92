"""Montgomery multipliers from the literature as verified Amaranth components."""

from . import outside as _outside
from .core import CoreParameters, Cycles, Signature, cycles_of
from .kinds import KINDS
from .kinds.multiplier import Multiplier as Parameters
from .registry import architectures, exponentiators, rsa_crt

__all__ = ["KINDS", "CoreParameters", "Cycles", "Parameters", "Signature", "architectures",
           "cycles_of", "exponentiators", "rsa_crt"]

_outside.extend(__path__)
