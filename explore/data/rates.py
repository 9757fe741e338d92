"""Rates of operations that do not depend on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..points.point import core_of

if TYPE_CHECKING:
    import pandas

__all__ = ["AGREEMENT", "ENGINES", "POINTS", "VERIFICATION", "counted", "independent_mbps",
           "rate_of", "with_rate"]

#: Kinds whose operations are multiples of points of a curve: of any point, or of the base point.
POINTS = ("scalar_multiplication", "base_multiplication")
#: Kinds of operations of which each makes a shared secret, or verifies a signature.
AGREEMENT, VERIFICATION = "key_agreement", "ecdsa_verification"
#: Kinds of whole engines for curves.
ENGINES = (*POINTS, AGREEMENT, VERIFICATION)


def independent_mbps(points: pandas.DataFrame) -> pandas.Series:
    """Return the throughput of independent operations in Mbit/s.

    For a core that does not overlap operations, it is the throughput of dependent ones.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
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

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    name : str
        That of the column, from :func:`rate_of`.
    """
    from montgomery.core import traits

    cores = map(core_of, points.to_dict("records"))
    side_by_side = [traits(core).parallel if core else 1 for core in cores]
    rate = 1e6 * independent_mbps(points) / points["width"] * side_by_side
    mhz = points["fmax_usable_mhz"]
    return points.assign(**{name: rate}, **{
        f"{name}_{end}": rate * points[f"fmax_usable_mhz_{end}"] / mhz
        for end in ("min", "max")})
