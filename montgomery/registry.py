"""The cores there are, by name."""

import functools
import importlib
import pkgutil

__all__ = ["architectures", "decryptions", "exponentiators"]


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
