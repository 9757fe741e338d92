"""The cores there are, by name, and the modules beside them that are none."""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
import sys
import traceback
from pathlib import Path

from .core import CoreParameters

__all__ = ["Rejected", "architectures", "decryptions", "exponentiators", "rejected"]

_NAME = "Parameters"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Rejected:
    """A module that is not a core; as text it is a line that says why.

    Attributes
    ----------
    file : :class:`str`
        For people: relative to the folder of this package.
    reason : :class:`str`
        Follows the name of the file in a sentence.
    looks_like_core : :class:`bool`
        Whether it was written to be one. A module of helpers was not.
    error : :class:`BaseException` or ``None``
        What its import raised.
    """

    file: str
    reason: str
    looks_like_core: bool = True
    error: BaseException | None = None

    def __str__(self):
        return f"{self.file} {self.reason}"


def _discover(package):
    """Return the cores of a package, and its :class:`Rejected` modules, by name."""
    found = importlib.import_module(f"{__package__}.{package}".rstrip("."))
    # A folder that is added to the package later counts from then on.
    return _sorted_out(found.__name__, package, tuple(found.__path__))


@functools.cache
def _sorted_out(package_name, package, path):
    cores, others = {}, {}
    for info in sorted(pkgutil.iter_modules(path), key=lambda info: info.name):
        if info.name.startswith("_"):
            continue
        name = f"{package_name}.{info.name}"
        file = f"{name.replace('.', '/')}{'/__init__' if info.ispkg else ''}.py"
        try:
            module = importlib.import_module(name)
        except (Exception, SystemExit) as error:
            others[info.name] = Rejected(file=file, error=error,
                                         reason=f"cannot be imported: {_text(error)}")
            continue
        own = [value for value in vars(module).values() if inspect.isclass(value)
               and f"{value.__module__}.".startswith(f"{name}.")]
        candidate = getattr(module, _NAME, None)
        if candidate in own:
            meant, fault = not _is_base(candidate), _fault(candidate, package)
        else:
            # What several cores are derived from is abstract.
            concrete = [value.__name__ for value in own if issubclass(value, CoreParameters)
                        and not value.__abstractmethods__]
            meant = bool(concrete)
            fault = (f"its class {concrete[0]} must be called {_NAME}" if meant else
                     f"it does not define a class {_NAME}")
        if fault:
            others[info.name] = Rejected(file=file, reason=f"is not a core: {fault}",
                                         looks_like_core=meant)
        else:
            cores[info.name] = candidate
    return cores, others


def _is_base(cls):
    return "kind" in vars(cls)


def _fault(cls, package):
    """Return why a class is not that of a core in a package; empty if it is."""
    if _is_base(cls):
        return f"its {_NAME} is what every {cls.kind} is derived from"
    if not (issubclass(cls, CoreParameters) and cls.kind):
        base = f"{package}.base" if package else "core"
        return f"its {_NAME} is not derived from {__package__}.{base}.{_NAME}"
    if cls.package != package:
        folder = f"{__package__}.{cls.package}".rstrip(".").replace(".", "/")
        return f"its {_NAME} is that of a core of kind {cls.kind}, whose place is {folder}/"
    if missing := sorted(cls.__abstractmethods__):
        names = " and ".join(filter(None, [", ".join(missing[:-1]), missing[-1]]))
        return f"its {_NAME} does not define {names}"
    for field in dataclasses.fields(cls):
        if not (isinstance(field.type, type) and "help" in field.metadata):
            return (f"its field {field.name} must be declared by {__package__}.core.parameter(), "
                    "without 'from __future__ import annotations'")
    return ""


def _text(error):
    """Return in a line what an import raised, and in which line of which file of this package."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, SyntaxError):
        return text  # it says so itself
    folders = sys.modules[__package__].__path__
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if any(path.is_relative_to(folder) for folder in folders):
            return f"{text} ({path.name}, line {frame.lineno})"
    return text


def architectures():
    """Return the dictionary from name to ``Parameters`` class of all multipliers.

    A module of this package that defines a concrete ``Parameters`` is an architecture, unless its
    name begins with ``_``.
    """
    return _discover("")[0]


def exponentiators():
    """Return the dictionary from name to ``Parameters`` class of all exponentiators.

    A module of :mod:`montgomery.exponentiation` that defines a concrete ``Parameters`` is one.
    """
    return _discover("exponentiation")[0]


def decryptions():
    """Return the dictionary from name to ``Parameters`` class of all cores for RSA with CRT.

    A module of :mod:`montgomery.decryption` that defines a concrete ``Parameters`` is one.
    """
    return _discover("decryption")[0]


def rejected(package=""):
    """Return the dictionary from name to :class:`Rejected` of the modules that are not cores.

    Parameters
    ----------
    package : :class:`str`
        Where in this package they are, as :attr:`montgomery.CoreParameters.package` has it.
    """
    return _discover(package)[1]
