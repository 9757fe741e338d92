"""The cores there are, by kind and name, and the modules beside them that are none."""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
import sys
import traceback
from pathlib import Path

from .core import CoreParameters, kind_of, name_of, traits

__all__ = ["Rejected", "architectures", "cores", "exponentiators", "hashes",
           "modules", "rejected", "rsa_crt"]

_NAME = "Parameters"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Rejected:
    """A module that is not a core; as text it is a line that says why.

    Attributes
    ----------
    name : :class:`str`
        What the core would be called.
    file : :class:`str`
        For people: relative to the folder of this package.
    reason : :class:`str`
        Follows the name of the file in a sentence.
    looks_like_core : :class:`bool`
        Whether it was written to be one. A module of helpers was not.
    error : :class:`BaseException` or ``None``
        What its import raised.
    """

    name: str
    file: str
    reason: str
    looks_like_core: bool = True
    error: BaseException | None = None

    def __str__(self) -> str:
        return f"{self.file} {self.reason}"


def cores(kind: str) -> dict[str, type[CoreParameters]]:
    """Return the dictionary from name to ``Parameters`` class of all cores of a kind.

    A module of this package, in whatever folder, that defines a concrete ``Parameters`` is a core,
    unless its name begins with ``_``. :func:`montgomery.core.name_of` says what it is
    called.

    Parameters
    ----------
    kind : :class:`str`
        A key of :data:`montgomery.KINDS`.
    """
    return _found()[0].get(kind, {})


def modules(params: CoreParameters) -> tuple[str, ...]:
    """Return the names of the modules that a core is made of: measurements hold until they change.

    They define the hardware and the integer model, of a core inside that was found by its name too.
    Modules that these import are found by their sources.
    """
    inner = traits(params).inner
    return (type(params).__module__, *(modules(inner) if inner else ()))


def architectures() -> dict[str, type[CoreParameters]]:
    """Return the dictionary from name to ``Parameters`` class of all multipliers."""
    return cores("multiplier")


def exponentiators() -> dict[str, type[CoreParameters]]:
    """Return the dictionary from name to ``Parameters`` class of all exponentiators."""
    return cores("exponentiator")


def hashes() -> dict[str, type[CoreParameters]]:
    """Return the dictionary from name to ``Parameters`` class of all hash cores."""
    return cores("hash")


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
    by_kind = {}
    for kind, name in sorted(found):
        by_kind.setdefault(kind, {})[name] = found[kind, name]
    return by_kind, tuple(sorted(others, key=lambda each: each.file))


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
            others.append(Rejected(name=_core_name(name), file=file, error=error,
                                   reason=f"cannot be imported: {_text(error)}"))
            continue
        cls, fault, meant = _examined(module, name)
        if cls is not None and not fault:
            first = found.setdefault((kind_of(cls).name, name_of(cls)), cls)
            if first is not cls:
                fault = (f"{first.__module__} is the {kind_of(cls).name} {name_of(cls)} "
                         "already; choose another name for the file")
        if fault and (meant or (package == __package__ and not info.ispkg)):
            others.append(Rejected(name=_core_name(name), file=file, looks_like_core=meant,
                                   reason=f"is not a core: {fault}"))
        if info.ispkg:
            _look(name, module.__path__, found, others)


def _examined(module, name):
    """Return the class of a module's core, why it is none, and whether it was meant to be one."""
    own = [value for value in vars(module).values() if inspect.isclass(value)
           and value.__module__ == name]
    candidate = getattr(module, _NAME, None)
    if candidate in own:
        return candidate, _fault(candidate), not _is_base(candidate)
    # What several cores are derived from is abstract.
    concrete = [value.__name__ for value in own if issubclass(value, CoreParameters)
                and not value.__abstractmethods__]
    if concrete:
        return None, f"its class {concrete[0]} must be called {_NAME}", True
    return None, f"it does not define a class {_NAME}", False


def _core_name(module):
    """Return what the core of a module is called; see :func:`montgomery.core.name_of`."""
    *folders, last = module.split(".")[1:]
    return folders[-1] if folders and last in _kinds() else last


def _kinds():
    """Return the names of all kinds of cores."""
    return {kind_of(cls).name for cls in CoreParameters.__subclasses__()}


def _is_base(cls):
    return "_kind" in vars(cls)


def _fault(cls):
    """Return why a class is not that of a core; empty if it is."""
    if _is_base(cls):
        return f"its {_NAME} is what every {kind_of(cls).name} is derived from"
    if not (issubclass(cls, CoreParameters) and hasattr(cls, "_kind")):
        return (f"its {_NAME} is not derived from a kind of core, such as "
                f"{__package__}.kinds.multiplier.Multiplier")
    *folders, last = cls.__module__.split(".")[1:]
    if folders and last in _kinds() - {kind_of(cls).name}:
        return (f"its {_NAME} is that of a core of kind {kind_of(cls).name}, whose place is "
                f"{'/'.join([__package__, *folders, kind_of(cls).name])}.py")
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
