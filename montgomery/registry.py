"""The cores there are, by kind and name, and the modules beside them that are none."""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
import sys
import traceback
from pathlib import Path

from .core import CoreParameters, kind_of, listed, name_of, traits

__all__ = ["Rejected", "architectures", "cores", "exponentiators", "modules",
           "rejected", "rsa_crt"]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Rejected:
    """A module that is not a core; as text it is a line that says why.

    Attributes
    ----------
    file : :class:`str`
        Relative to the folder that this package is in.
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

    @property
    def name(self) -> str:
        """What the core would be called."""
        *folders, last = self.file.removesuffix(".py").removesuffix("/__init__").split("/")[1:]
        return folders[-1] if folders and last in _kinds() else last

    def __str__(self) -> str:
        return f"{self.file} {self.reason}"


def cores(kind: str) -> dict[str, type[CoreParameters]]:
    """Return the dictionary from name to ``Parameters`` class of all cores of a kind, by its name.

    A module of this package, in whatever folder, that defines a concrete ``Parameters`` is a core,
    unless its name begins with ``_``. :func:`montgomery.core.name_of` says what it is called.
    """
    return _found()[0].get(kind, {})


def modules(params: CoreParameters) -> tuple[str, ...]:
    """Return the names of the modules that a core is made of: measurements hold until they change.

    They are its own and that of a core inside; modules that these import are found by their
    sources.
    """
    inner = traits(params).inner
    return (type(params).__module__, *(modules(inner) if inner else ()))


def architectures() -> dict[str, type[CoreParameters]]:
    """Return the dictionary from name to ``Parameters`` class of all multipliers."""
    return cores("multiplier")


def exponentiators() -> dict[str, type[CoreParameters]]:
    """Return the dictionary from name to ``Parameters`` class of all exponentiators."""
    return cores("exponentiator")


def rsa_crt() -> dict[str, type[CoreParameters]]:
    """Return the dictionary from name to ``Parameters`` class of all cores for RSA with CRT."""
    return cores("rsa_crt")


def rejected() -> tuple[Rejected, ...]:
    """Return a tuple of a :class:`Rejected` for each module that is not a core.

    Of the modules in folders there are only those that were written to be cores.
    """
    return _found()[1]


def _found():
    # A folder that is added to the package later counts from then on.
    return _sorted_out(tuple(sys.modules[__package__].__path__))


@functools.cache
def _sorted_out(path):
    """Return the cores by kind and name, and a tuple of a :class:`Rejected` for what is none."""
    found, others = {}, []
    _look(__package__, path, found, others)
    return ({kind: dict(sorted(named.items())) for kind, named in found.items()},
            tuple(sorted(others, key=lambda each: each.file)))


def _look(package, path, found, others):
    """Add the cores in a folder and in those below it, and what is none."""
    # Folders first: of two files that have the same name for a core, the file in a folder is the
    # core.
    for info in sorted(pkgutil.iter_modules(path), key=lambda info: (not info.ispkg, info.name)):
        if info.name.startswith("_"):
            continue
        name = f"{package}.{info.name}"
        file = f"{name.replace('.', '/')}{'/__init__' if info.ispkg else ''}.py"
        try:
            module = importlib.import_module(name)
        except (Exception, SystemExit) as error:
            others.append(Rejected(file=file, reason=f"cannot be imported: {_text(error)}",
                                   error=error))
            continue
        fault, meant = _examined(module, found)
        if fault and (meant or (package == __package__ and not info.ispkg)):
            others.append(Rejected(file=file, reason=f"is not a core: {fault}",
                                   looks_like_core=meant))
        if info.ispkg:
            _look(name, module.__path__, found, others)


def _examined(module, found):
    """Add the core of a module, or return why it has none, and whether it was meant to."""
    own = [value for value in vars(module).values() if inspect.isclass(value)
           and value.__module__ == module.__name__]
    cls = getattr(module, "Parameters", None)
    if cls not in own:
        # What several cores are derived from is abstract.
        concrete = [value.__name__ for value in own if issubclass(value, CoreParameters)
                    and not value.__abstractmethods__]
        if concrete:
            return f"its class {concrete[0]} must be called Parameters", True
        return "it does not define a class Parameters", False
    if fault := _fault(cls):
        return f"its {fault}", True
    kind, name = kind_of(cls).name, name_of(cls)
    first = found.setdefault(kind, {}).setdefault(name, cls)
    if first is not cls:
        return (f"{first.__module__} is the {kind} {name} already; choose another name for the "
                "file"), True
    return "", True


def _kinds(cls=CoreParameters):
    """Return the names of all kinds of cores that are derived from a class."""
    own = {kind_of(cls).name} if "_kind" in vars(cls) else set()
    return own.union(*map(_kinds, cls.__subclasses__()))


def _fault(cls):
    """Return why a class is not that of a core; empty if it is."""
    if not (issubclass(cls, CoreParameters) and hasattr(cls, "_kind")):
        return ("Parameters is not derived from a kind of core, such as "
                f"{__package__}.kinds.multiplier.Multiplier")
    kind = kind_of(cls).name
    *folders, last = cls.__module__.split(".")[1:]
    if folders and last in _kinds() - {kind}:
        return (f"Parameters is that of a core of kind {kind}, whose place is "
                f"{'/'.join([__package__, *folders, kind])}.py")
    if missing := sorted(cls.__abstractmethods__):
        return f"Parameters does not define {listed(missing)}"
    for field in dataclasses.fields(cls):
        if not (isinstance(field.type, type) and "help" in field.metadata):
            return (f"field {field.name} must be declared by {__package__}.core.parameter(), "
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
