"""The kinds of cores there are, by name."""

import dataclasses
import importlib
import importlib.util

from .core import CoreParameters
from .core import Parameters as MultiplierParameters
from .decryption.base import Parameters as DecryptionParameters
from .exponentiation.base import Parameters as ExponentiationParameters
from .registry import rejected

__all__ = ["KINDS", "Kind"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of core, by what one of its operations is.

    Attributes
    ----------
    base : type
        What the ``Parameters`` of all its cores are derived from, which says what the kind is.
    registry : :class:`str`
        Name of the function of this package that returns all cores of the kind.
    """

    base: type[CoreParameters]
    registry: str

    @property
    def name(self):
        """As :attr:`montgomery.CoreParameters.kind` has it."""
        return self.base.kind

    @property
    def package(self):
        """As :attr:`montgomery.CoreParameters.package` has it.

        It stands before the name of a core where all kinds are named.
        """
        return self.base.package

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
        return getattr(importlib.import_module(__package__), self.registry)()

    def rejected(self):
        """Return by name why other modules beside the cores are none.

        See :class:`montgomery.registry.Rejected`. A kind whose cores are not in this package has
        none.
        """
        name = f"{__package__}.{self.package}".rstrip(".")
        return rejected(self.package) if importlib.util.find_spec(name) else {}

    def full_name(self, name):
        """Return the name of a core among those of all kinds: ``exponentiation.generic``."""
        return f"{self.package}.{name}".lstrip(".")


#: From name to :class:`Kind`. A name of a core that several kinds have is that of the first one.
KINDS = {kind.name: kind for kind in (
    Kind(base=MultiplierParameters, registry="architectures"),
    Kind(base=ExponentiationParameters, registry="exponentiators"),
    Kind(base=DecryptionParameters, registry="decryptions"),
)}
