"""Montgomery multipliers from the literature as verified Amaranth components.

Every signal is created with ``name=``. Without, Amaranth takes the name of the variable from the
bytecode, which it does not understand in every version of Python: the same source would be other
RTLIL, and measurements of it would not stand. Where a name is ``$signal``, ``$like`` or
``$signature``, that is what Amaranth calls signals whose names it does not find. Such a signal was
measured under that name, and to give it a better one is to measure its core anew.
"""

from .core import CoreParameters, Cycles, Signature
from .kinds import KINDS
from .kinds.multiplier import Multiplier as Parameters
from .registry import architectures, decryptions, exponentiators, hashes, rsa_crt

__all__ = ["KINDS", "CoreParameters", "Cycles", "Parameters", "Signature", "architectures",
           "decryptions", "exponentiators", "hashes", "rsa_crt"]
