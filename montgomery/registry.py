"""The cores there are, by kind and name: a table of those of this package, and files outside it."""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path

from .core import CoreParameters, kind_of, listed, name_in, name_of, traits

__all__ = ["CORES", "Cores", "Rejected", "architectures", "cores", "exponentiators", "modules",
           "rejected", "rsa_crt"]

#: Modules with the cores of this package, by kind. A module that is called as the kind gives its
#: core the name of its folder.
CORES = {
    "multiplier": (
        "satzoda.mmm_mx_1d", "satzoda.mmm_cs_1d", "satzoda.mmm_op_1d", "satzoda.mmm_mx_2d",
        "satzoda.mmm_cs_2d", "satzoda.mmm_op_2d", "multi_step.multiplier", "single_dsp.multiplier",
        "dsp_systolic.multiplier", "cox_rower.multiplier", "wide.multiplier"),
    "exponentiator": ("generic.exponentiator", "single_dsp.exponentiator",
                      "dsp_systolic.exponentiator", "cox_rower.exponentiator"),
    "rsa_crt": ("dsp_systolic.rsa_crt", "cox_rower.rsa_crt"),
    "scalar_multiplication": ("generic.scalar_multiplication", "wide.scalar_multiplication"),
    "base_multiplication": ("wide.base_multiplication",),
    "key_agreement": ("generic.key_agreement", "wide.key_agreement"),
    "ecdsa_verification": ("wide.ecdsa_verification",),
    "eddsa_verification": ("wide.eddsa_verification",),
    "hash": ("hash.sha1", "hash.mgf1"),
    "inversion": ("divsteps",),
}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Rejected:
    """A file outside that is not a core; as text it is a line that says why."""

    file: str  # as if it were in the folder of this package
    reason: str  # follows the name of the file in a sentence
    # Whether it was written to be one. A module of helpers was not.
    looks_like_core: bool = True
    error: BaseException | None = None  # what its import raised

    @property
    def name(self) -> str:
        """What the core would be called."""
        return Path(self.file).stem

    def __str__(self) -> str:
        return f"{self.file} {self.reason}"


class Cores(Mapping[str, type[CoreParameters]]):
    """From name to ``Parameters`` class of all cores of a kind; a module is imported when it is
    asked for.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._modules = {_called(kind, module): module for module in CORES.get(kind, ())}

    @property
    def _outside(self):
        return _outside()[0].get(self._kind, {})

    def __getitem__(self, name: str) -> type[CoreParameters]:
        if found := self._outside.get(name):
            return found
        return importlib.import_module(f"{__package__}.{self._modules[name]}").Parameters

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._modules, *self._outside}))

    def __len__(self) -> int:
        return len(self._modules) + len(self._outside)

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in self._outside


@functools.cache
def cores(kind: str) -> Cores:
    """Return all cores of a kind, by its name.

    They are those of :data:`CORES`, and what :mod:`montgomery.outside` adds: modules with a
    concrete ``Parameters``. :func:`montgomery.core.name_of` says what a core is called.
    """
    return Cores(kind)


def _called(kind, module):
    return name_in(kind, f"{__package__}.{module}")


def modules(params: CoreParameters) -> tuple[str, ...]:
    """Return the names of the modules that a core is made of: measurements hold until they change.

    They are its own and that of a core inside; modules that these import are found by their
    sources.
    """
    inner = traits(params).inner
    return (type(params).__module__, *(modules(inner) if inner else ()))


def architectures() -> Cores:
    """Return all multipliers."""
    return cores("multiplier")


def exponentiators() -> Cores:
    """Return all exponentiators."""
    return cores("exponentiator")


def rsa_crt() -> Cores:
    """Return all cores for RSA with CRT."""
    return cores("rsa_crt")


def rejected() -> tuple[Rejected, ...]:
    """Return a tuple of a :class:`Rejected` for each file outside that is not a core."""
    return _outside()[1]


def _outside():
    # What is added to the path of the package later counts from then on.
    return _sorted_out(tuple(sys.modules[__package__].__path__[1:]))


@functools.cache
def _sorted_out(path):
    """Return the cores by kind and name, and a tuple of a :class:`Rejected` for what is none."""
    found, others = {}, []
    for info in sorted(pkgutil.iter_modules(path), key=lambda info: info.name):
        if info.name.startswith("_"):
            continue
        file = f"{__package__}/{info.name}.py"
        try:
            module = importlib.import_module(f"{__package__}.{info.name}")
        except (Exception, SystemExit) as error:
            others.append(Rejected(file=file, reason=f"cannot be imported: {_text(error)}",
                                   error=error))
            continue
        fault, meant = _examined(module, found)
        if fault:
            others.append(Rejected(file=file, reason=f"is not a core: {fault}",
                                   looks_like_core=meant))
    return found, tuple(others)


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
    for module in CORES.get(kind, ()):
        if _called(kind, module) == name:
            return (f"{__package__}.{module} is the {kind} {name} already; choose another name "
                    "for the file"), True
    found.setdefault(kind, {})[name] = cls
    return "", True


def _fault(cls):
    """Return why a class is not that of a core; empty if it is."""
    if not (issubclass(cls, CoreParameters) and hasattr(cls, "_kind")):
        return ("Parameters is not derived from a kind of core, such as "
                f"{__package__}.kinds.multiplier.Multiplier")
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
