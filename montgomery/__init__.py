"""Montgomery multipliers from the literature as verified Amaranth components."""

from .core import CoreParameters, Cycles, Signature
from .kinds import KINDS, Kind
from .kinds.multiplier import Multiplier as Parameters
from .registry import architectures, decryptions, exponentiators, hashes, rsa_crt

__all__ = ["KINDS", "CoreParameters", "Cycles", "Kind", "Parameters", "Signature", "architectures",
           "decryptions", "exponentiators", "hashes", "rsa_crt"]
