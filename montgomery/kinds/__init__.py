"""The kinds of cores there are, by name: each is a module of this package with a ``KIND``."""

import importlib
import pkgutil

from .. import registry
from ..core import Kind

__all__ = ["KINDS", "KnownKind"]


class KnownKind(Kind):
    """A kind with all its cores."""

    def cores(self) -> registry.Cores:
        """Return all cores of the kind, by their names."""
        return registry.cores(self.name)


def _kinds():
    for info in pkgutil.iter_modules(__path__):
        if not info.name.startswith("_"):
            kind = importlib.import_module(f"{__name__}.{info.name}").KIND
            yield KnownKind(**vars(kind))


#: From name to :class:`KnownKind`; first the kind whose cores are named without a prefix. A name of
#: a core that several kinds have is that of the first one.
KINDS = {kind.name: kind for kind in sorted(_kinds(), key=lambda kind: kind.prefix)}
