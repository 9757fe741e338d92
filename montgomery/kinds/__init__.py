"""The kinds of cores there are, by name: each is a class, in a module of this package."""

import dataclasses
import importlib
import inspect
import pkgutil

from .. import registry
from ..core import CoreParameters

__all__ = ["KINDS", "Kind", "today"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of core, by what one of its operations is.

    Attributes
    ----------
    base : type
        What the ``Parameters`` of all its cores are derived from, which says what the kind is.
    """

    base: type[CoreParameters]

    @property
    def name(self):
        """As :attr:`montgomery.CoreParameters.kind` has it."""
        return self.base.kind

    @property
    def prefix(self):
        """As :attr:`montgomery.CoreParameters.prefix` has it."""
        return self.base.prefix

    @property
    def group(self):
        """As :attr:`montgomery.CoreParameters.group` has it."""
        return self.base.group

    @property
    def noun(self):
        """As :attr:`montgomery.CoreParameters.noun` has it."""
        return self.base.noun

    @property
    def nouns(self):
        """As :attr:`montgomery.CoreParameters.nouns` has it."""
        return self.base.nouns

    @property
    def formerly(self):
        """As :attr:`montgomery.CoreParameters.formerly` has it."""
        return self.base.formerly

    @property
    def operation(self):
        """One of a core's operations, in a word."""
        return self.base.operation

    @property
    def result(self):
        """What an operation computes."""
        return self.base.formula

    def cores(self):
        """Return the dictionary from name to ``Parameters`` class of all cores of the kind."""
        return registry.cores(self.name)

    def full_name(self, name):
        """Return the name of a core among those of all kinds: ``exponentiation.generic``."""
        return f"{self.prefix}.{name}".lstrip(".")


def _bases():
    """Return the classes of kinds that the modules of this package define."""
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for cls in vars(module).values():
            if (inspect.isclass(cls) and cls.__module__ == module.__name__
                    and CoreParameters in cls.__mro__ and "kind" in vars(cls)):
                yield cls


#: From name to :class:`Kind`; first the kind whose cores are named without a prefix. A name of a
#: core that several kinds have is that of the first one.
KINDS = {cls.kind: Kind(base=cls) for cls in sorted(_bases(), key=lambda cls: cls.prefix)}


def today(name):
    """Return the name that a kind has today; a name that is none of a former kind stays.

    So does a name with a prefix: of ``decryption.cox_rower`` it is ``rsa_crt.cox_rower``.
    """
    first, dot, rest = name.partition(".")
    for kind in KINDS.values():
        if first in kind.formerly:
            return f"{kind.prefix or kind.name}{dot}{rest}" if dot else kind.name
    return name
