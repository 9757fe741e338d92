"""The names that people and standards use for the curves that there are, and for their primes."""

import re

from .curves import CURVES, Curve
from .edwards_curves import EDWARDS_CURVES, EdwardsCurve
from .montgomery_curves import MONTGOMERY_CURVES, MontgomeryCurve

__all__ = ["ALIASES", "ALL", "called", "of_prime"]

#: All curves by name, of whatever form.
ALL: dict[str, Curve | EdwardsCurve | MontgomeryCurve] = {
    **CURVES, **MONTGOMERY_CURVES, **EDWARDS_CURVES}
#: From the names of curves to others that are in use. Case and punctuation make no difference.
ALIASES = {
    "P-256": ("prime256v1", "secp256r1", "NIST P-256", "nistp256"),
    "P-384": ("secp384r1", "ansip384r1", "NIST P-384", "nistp384"),
    "P-521": ("secp521r1", "ansip521r1", "NIST P-521", "nistp521"),
    "secp256k1": ("K-256", "P-256K", "ansip256k1"),
    "brainpoolP256r1": ("BP-256", "brainpool256r1"),
    "Curve25519": ("X25519",),
    "Curve448": ("X448", "Goldilocks"),
    "Ed25519": ("edwards25519",),
}


def _plain(name):
    return re.sub(r"[\W_]", "", name.casefold())


_NAMES = {_plain(each): name for name in ALL for each in (name, *ALIASES.get(name, ()))}


def called(name: str) -> str:
    """Return what a curve is called here; another name than those of curves stays as it is."""
    return _NAMES.get(_plain(name), name)


def of_prime(prime: int) -> str:
    """Return the name of the first curve over a prime; empty if there is none."""
    return next((name for name, curve in ALL.items() if curve.p == prime), "")
