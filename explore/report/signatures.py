"""The section on RSA signatures in a second: measured cores, and published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.labels import full_names
from ..data.rates import with_signatures
from ..data.trends import RSA_BITS
from ..outcome import Status
from ..papers import published
from ..table import Cell, Range, plain_table

if TYPE_CHECKING:
    import pandas

    from ..table import Table

__all__ = ["signatures"]

_TITLES = {"Key": "bits", **dict.fromkeys(("Core", "Kind", "Device", "LUT", "DSP", "BRAM"), ""),
           "Signatures": "1/s", "Figure": ""}


def signatures(points: pandas.DataFrame) -> Table | None:
    """Return the table of signatures in a second, the fastest first for each length of a key.

    Cores of the kinds that make RSA signatures are as measured, with keys as long as the core.
    Beside them stand the published figures of :mod:`explore.papers`. The result is None if no such
    core was measured.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    """
    rows = _measured(points)
    if not rows:
        return None
    rows += _published()
    rows.sort(key=lambda row: (row[0], -_middle(row[7])))
    return plain_table(
        "RSA signatures in a second, by one core with one key: with CRT by cores of kind "
                "rsa_crt, without it by exponentiators. Measured ones include words in and out. "
                "Published ones are on other silicon; where a source has a time, one signature "
                "follows the other. The notes below each source say what it includes.",
        _TITLES, rows)


def _middle(cell: Cell) -> float:
    return cell.median if isinstance(cell, Range) else float(cell or 0)


def _measured(points: pandas.DataFrame) -> list[list[Cell]]:
    from montgomery import KINDS

    makes = [name for name, kind in KINDS.items() if kind.does_rsa]
    fit = points[points["status"].eq(Status.OK) & points["kind"].isin(makes)
                 & points["width"].isin(RSA_BITS)]
    if fit.empty:
        return []
    fit = with_signatures(fit).assign(label=full_names(fit))
    return [[point["width"], f"here: {point['label']}", point["kind"], point["target"],
             point["lut"], point["dsp"], point["bram"],
             Range(*(point[f"signatures_per_s{end}"] for end in ("", "_min", "_max"))), "measured"]
            for point in fit.dropna(subset="signatures_per_s").to_dict("records")]


def _published() -> list[list[Cell]]:
    return [[figure.width, f"{figure.source.partition(':')[0]}: {figure.name}", figure.kind,
             figure.device, figure.figures.get("lut"), figure.figures.get("dsp"),
             figure.figures.get("bram"), figure.signatures_per_s, f"published, {figure.table}"]
            for figures in published().values() for figure in figures
            if figure.width in RSA_BITS and figure.signatures_per_s is not None]
