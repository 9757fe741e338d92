"""Rates of operations that do not depend on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..points.point import core_of

if TYPE_CHECKING:
    import pandas

__all__ = ["independent_mbps", "with_signatures"]


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


def with_signatures(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return points with ``signatures_per_s`` and its range over the seeds.

    It is the number of RSA signatures in a second with keys as long as the core and one key for
    all of them, words in and out included; a core whose kind has ``does_rsa`` makes each by one
    operation.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`, of such kinds.
    """
    from montgomery.core import traits

    cores = map(core_of, points.to_dict("records"))
    side_by_side = [traits(core).parallel if core else 1 for core in cores]
    rate = 1e6 * independent_mbps(points) / points["width"] * side_by_side
    mhz = points["fmax_usable_mhz"]
    return points.assign(signatures_per_s=rate, **{
        f"signatures_per_s_{end}": rate * points[f"fmax_usable_mhz_{end}"] / mhz
        for end in ("min", "max")})
