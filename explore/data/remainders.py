"""What a core makes of numbers: its one modulus if it has one, and the range of its results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..points.point import core_of, cores
from ..points.rivals import rival_modulus
from .rates import counted

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["REDUCED", "only_modulus", "result_of", "result_of_row"]

#: The text for results that are below the modulus.
REDUCED = "reduced"


def result_of(core: CoreParameters) -> str | None:
    """Return ``reduced``, or the bound of the core's results, such as ``below 2 m``.

    The value is None for a core without a modulus.
    """
    from montgomery.arithmetic import coprime_below
    from montgomery.core import kind_of, traits

    if not hasattr(core, "bound"):
        return REDUCED if counted(kind_of(core).name) else None
    top = 1 << (core.width - 1)
    moduli = [coprime_below(modulus, traits(core).coprime_to)
              for modulus in (3, top + 1, 2 * top - 1)]
    multiples = {-(-core.bound(modulus) // modulus) for modulus in moduli}
    if len(multiples) > 1:
        # The bound depends on the modulus: take its largest multiple, rounded up.
        return f"below 2^{max(multiples).bit_length()} m"
    multiple, = multiples
    return REDUCED if multiple == 1 else f"below {multiple} m"


def result_of_row(row: Mapping[str, Any]) -> str | None:
    """Return :func:`result_of` of the core of a row; None if this program does not have it."""
    cls = cores(row["kind"]).get(row["arch"])
    if cls is not None and not hasattr(cls, "bound"):
        return REDUCED if counted(row["kind"]) else None
    core = core_of(row)
    return None if core is None else result_of(core)


def only_modulus(row: Mapping[str, Any]) -> int | None:
    """Return the one modulus that the core of a row is built for; None if it takes others."""
    from montgomery.core.fixed_modulus import FixedModulus

    cls = cores(row["kind"]).get(row["arch"])
    if cls is None:
        return rival_modulus(row["arch"])
    core = core_of(row) if issubclass(cls, FixedModulus) else None
    return core.only_modulus if isinstance(core, FixedModulus) else None
