"""Hash functions that RSA's encodings need: SHA-1, and the mask generation function MGF1."""

from .mgf1 import Mgf1
from .sha1 import MessageByte, Sha1

__all__ = ["MessageByte", "Mgf1", "Sha1"]
