"""The cores there are, by name."""

import dataclasses
import functools
import importlib
import pkgutil

__all__ = ["KINDS", "Kind", "architectures", "decryptions", "exponentiators"]


def _discover(package_name):
    package = importlib.import_module(package_name)
    found = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package_name}.{info.name}")
        candidate = getattr(module, "Parameters", None)
        if (candidate is not None and candidate.__module__.startswith(module.__name__)
                and not candidate.__abstractmethods__):
            found[info.name] = candidate
    return dict(sorted(found.items()))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of core, by what one of its operations is.

    Attributes
    ----------
    name : :class:`str`
        As :attr:`montgomery.CoreParameters.kind` has it.
    registry : :class:`str`
        Name of the function of this package that returns all cores of the kind.
    package : :class:`str`
        As :attr:`montgomery.CoreParameters.package` has it; stands before the name of a core where
        all kinds are named.
    operation : :class:`str`
        One of a core's operations, in a word.
    result : :class:`str`
        What it computes.
    """

    name: str
    registry: str
    package: str
    operation: str
    result: str

    def cores(self):
        """Return the dictionary from name to ``Parameters`` class of all cores of the kind."""
        return getattr(importlib.import_module(__package__), self.registry)()

    def full_name(self, name):
        """Return the name of a core among those of all kinds: ``exponentiation.generic``."""
        return f"{self.package}.{name}".lstrip(".")


#: The kinds of cores there are, by name.
KINDS = {kind.name: kind for kind in (
    Kind(name="multiplier", registry="architectures", package="", operation="multiplication",
         result="x * y / R mod modulus"),
    Kind(name="exponentiator", registry="exponentiators", package="exponentiation",
         operation="exponentiation", result="base ** exponent mod modulus"),
    Kind(name="decryption", registry="decryptions", package="decryption",
         operation="decryption", result="message ** exponent mod p q"),
)}


@functools.cache
def architectures():
    """Return the dictionary from name to ``Parameters`` class of all multipliers.

    A module of this package that defines a concrete ``Parameters`` is an architecture.
    """
    return _discover(__package__)


@functools.cache
def exponentiators():
    """Return the dictionary from name to ``Parameters`` class of all exponentiators.

    A module of :mod:`montgomery.exponentiation` that defines a concrete ``Parameters`` is one.
    """
    return _discover(f"{__package__}.exponentiation")


@functools.cache
def decryptions():
    """Return the dictionary from name to ``Parameters`` class of all cores for RSA with CRT.

    A module of :mod:`montgomery.decryption` that defines a concrete ``Parameters`` is one.
    """
    return _discover(f"{__package__}.decryption")
