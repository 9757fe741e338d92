"""Computes the time of a scalar multiplication on P-256 with a measured multiplier.

Only modular multiplications take time; additions are free, as Zhang and Dong assume.
:mod:`explore.ecc.curve` counts the multiplications.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..data.frame import medians
from ..data.labels import labels, present
from ..errors import Refusal
from ..outcome import Status
from ..table import SPREAD, Column, Range, Table
from .curve import P256, TYPICAL, count

if TYPE_CHECKING:
    import pandas

__all__ = ["ScalarTime", "scalar_time", "scalar_times", "tabulate"]

#: Row of the table with the estimate of the paper. The last time is unknown.
_PAPER = ("Zhang, Dong: estimate", "Stratix III", 256, 17161, 0.208, 0.76, None)


@dataclasses.dataclass(frozen=True)
class ScalarTime:
    """Time of a scalar multiplication on P-256.

    Attributes
    ----------
    multiplications : int
        Number of modular multiplications.
    compute_ms : float
        Sum of the times of all multiplications in ms, each from its last operand word to its first
        result word. The 0.76 ms of the paper, 3,650 times 0.208 µs, are such a sum.
    interval_ms : float
        Time in ms including the transfer of operands and results, if each multiplication waits for
        the result of the multiplication before.
    """

    multiplications: int
    compute_ms: float
    interval_ms: float


def scalar_time(row: Mapping[str, Any], *, scalar: int = TYPICAL,
                method: str = "double-and-add") -> ScalarTime:
    """Return the time on the multiplier of a row of :func:`explore.data.frame.load` or ``medians``.

    Raises
    ------
    ValueError
        If the core of the row is not a multiplier, has less than 256 bits, or was not measured.
    """
    name = f"{row['arch']} of {row['width']} bits"
    if row["kind"] != "multiplier" or row["status"] != Status.OK:
        raise Refusal(f"A time needs a measured multiplier, but {name} is {row['kind']} with "
                      f"status {row['status']}; choose rows with status ok")
    if row["width"] < P256.p.bit_length():
        raise Refusal(f"P-256 needs a multiplier of 256 bits or more, not {name}; measure it "
                      f"with -n 256")
    number = count(scalar, method)
    clocks_ms = 1000 * row["fmax_usable_mhz"]
    return ScalarTime(number, number * row["cycles_compute"] / clocks_ms,
                      number * row["cycles_interval"] / clocks_ms)


def scalar_times(rows: pandas.DataFrame, *, scalar: int = TYPICAL,
                 method: str = "double-and-add") -> pandas.DataFrame:
    """Return the rows that have a :func:`scalar_time`, with its attributes as columns."""
    fit = rows[(rows["kind"] == "multiplier") & (rows["status"] == Status.OK)
               & (rows["width"] >= P256.p.bit_length())]
    fit = fit.dropna(subset=["fmax_usable_mhz", "cycles_compute", "cycles_interval"])
    times = [dataclasses.astuple(scalar_time(row, scalar=scalar, method=method))
             for row in fit.to_dict("records")]
    columns = [field.name for field in dataclasses.fields(ScalarTime)]
    return fit.assign(**{name: [time[index] for time in times]
                         for index, name in enumerate(columns)})


def tabulate(rows: pandas.DataFrame, *, method: str = "double-and-add") -> Table:
    """Return a table with the times of :func:`scalar_time`, the shortest first, and of the paper.

    Each core stands there with its smallest width of 256 bits or more. The times of a point are
    medians over its seeds, with their ranges.

    Raises
    ------
    ValueError
        For an unknown method, and if no row has a time.
    """
    number = count(TYPICAL, method)
    fit = scalar_times(medians(rows), method=method)
    if fit.empty:
        raise Refusal(f"P-256 needs a measured multiplier of {P256.p.bit_length()} bits or "
                      f"more, but none of {len(rows)} rows is one; measure one with -n 256")
    # The wider versions of a core are not needed.
    narrowest = fit.groupby(["arch", "target"])["width"].transform("min")
    fit = fit[fit["width"] == narrowest]
    fit = fit.assign(label=labels(fit)).sort_values(["target", "compute_ms"])
    body = []
    for point in fit.to_dict("records"):
        usable = [point[f"fmax_usable_mhz{bound}"] for bound in ("", "_max", "_min")]
        lut = point["lut"] if present(point["lut"]) else None
        body.append([point["label"], point["target"], point["width"], lut, *(
            Range(*(clocks / mhz for mhz in usable))
            for clocks in (point["cycles_compute"], number * point["cycles_compute"] / 1000,
                           number * point["cycles_interval"] / 1000))])
    return Table(
        caption=f"Scalar multiplication on P-256 by {method}: {number} multiplications, with the "
                "inversion at the end, for a scalar with as many ones as zeros. Median of the "
                f"seeds {SPREAD}.",
        columns=[Column(name="core", title="Core", numeric=False),
                 Column(name="target", title="Target", numeric=False, heading=True),
                 Column(name="width", title="Width", unit="bits"),
                 Column(name="lut", title="LUT"),
                 Column(name="latency_us", title="Multiplication", unit="µs"),
                 Column(name="compute_ms", title="Scalar multiplication", unit="ms"),
                 Column(name="interval_ms", title="With words in and out", unit="ms")],
        rows=[*body, list(_PAPER)])
