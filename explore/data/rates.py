"""Rates of operations that do not depend on each other, and the range of their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..points.point import core_of, cores
from ..points.rivals import rival_modulus

if TYPE_CHECKING:
    import pandas

    from montgomery import CoreParameters

__all__ = ["ENGINES", "POINTS", "REDUCED", "RSA_BITS", "counted",
           "independent_mbps", "only_modulus", "rate_of", "result_of", "result_of_row", "with_rate"]


#: Lengths of the modulus, in bits, for which there are tables and plots of RSA.
RSA_BITS = (1024, 2048, 4096)
#: Kinds whose operations are multiples of points of a curve: of any point, or of the base point.
POINTS = ("scalar_multiplication", "base_multiplication")
#: Kinds of whole engines for curves.
ENGINES = (*POINTS, "key_agreement", "ecdsa_verification")


def independent_mbps(points: pandas.DataFrame) -> pandas.Series:
    """Return the throughput of independent operations in Mbit/s, of medians.

    For a core that does not overlap operations, it is the throughput of dependent ones.
    """
    independent = points["throughput_pipelined_mbps"]
    return independent.where(independent.notna(), points["throughput_mbps"])


def counted(kind: str) -> str:
    """Return what operations of a kind make that users count in a second; empty for steps of it."""
    from montgomery import KINDS

    if KINDS[kind].does_rsa:
        return "signatures"
    return f"{KINDS[kind].operation}s" if kind in ENGINES else ""


def rate_of(kind: str) -> str:
    """Return the name of what :func:`with_rate` adds for a kind: ``signatures_per_s``.

    It is empty for a kind whose operations are not :func:`counted`.
    """
    what = counted(kind)
    return f"{what.replace(' ', '_').lower()}_per_s" if what else ""


def with_rate(points: pandas.DataFrame, name: str) -> pandas.DataFrame:
    """Return points with a column for the operations in a second, and its range over the seeds.

    These are operations with one key for all of them, words in and out included. They are RSA
    signatures with keys as long as the core, multiples of points, shared secrets, or verifications.
    The points are a frame of :func:`explore.data.frame.medians`.
    """
    from montgomery.core import traits

    cores = map(core_of, points.to_dict("records"))
    side_by_side = [traits(core).parallel if core else 1 for core in cores]
    rate = 1e6 * independent_mbps(points) / points["width"] * side_by_side
    mhz = points["fmax_usable_mhz"]
    return points.assign(**{name: rate}, **{
        f"{name}_{end}": rate * points[f"fmax_usable_mhz_{end}"] / mhz
        for end in ("min", "max")})


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
