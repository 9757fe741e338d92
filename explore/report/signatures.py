"""The section on RSA signatures in a second: measured cores, published ones, and OpenSSL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..data.labels import full_names
from ..data.rates import with_signatures
from ..data.trends import RSA_BITS
from ..outcome import Status
from ..papers import published
from ..table import Cell, Column, Range, Table
from ..tools.openssl import HostSpeed

if TYPE_CHECKING:
    import pandas

__all__ = ["Host", "signatures"]

#: Measures this computer, for lengths of keys in bits.
Host = Callable[[Sequence[int]], HostSpeed]

_COLUMNS = (
    Column(name="bits", title="Key", unit="bits"),
    Column(name="core", title="Core or program", numeric=False),
    Column(name="kind", title="Kind", numeric=False),
    Column(name="device", title="Device", numeric=False),
    Column(name="lut", title="LUT"), Column(name="dsp", title="DSP"),
    Column(name="bram", title="BRAM"),
    Column(name="signatures_per_s", title="Signatures", unit="1/s"),
    Column(name="figure", title="Figure", numeric=False),
)


def signatures(points: pandas.DataFrame, host: Host | None) -> tuple[Table | None, str]:
    """Return the table of signatures in a second, the fastest first for each length of a key.

    Cores of the kinds that make RSA signatures are as measured, with keys as long as the core.
    Beside them stand the published figures of :mod:`explore.papers` and those of OpenSSL on this
    computer.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    host : callable or None
        Called if there is a table; no figures of this computer if None.

    Returns
    -------
    table : Table or None
        None if no such core was measured.
    note : str
        Why there are no figures of this computer, if ``host`` was called in vain; else empty.
    """
    rows = _measured(points)
    if not rows:
        return None, ""
    rows += _published()
    note = ""
    if host is not None:
        speed = host(RSA_BITS)
        rows += [[bits, speed.program, "software, with CRT", f"{speed.processor}, one thread",
                  None, None, None, rate, "openssl speed, with this report"]
                 for bits, rate in speed.signatures_per_s.items()]
        if speed.missing:
            note = (f"OpenSSL on the computer that made this report ({speed.processor}) is left "
                    f"out: {speed.missing}.")
    rows.sort(key=lambda row: (row[0], -_middle(row[7])))
    return Table(
        caption="RSA signatures in a second, by one core with one key: with CRT by cores of kind "
                "rsa_crt, without it by exponentiators. Measured ones include words in and out. "
                "Published ones are on other silicon; where a source has a time, one signature "
                "follows the other. The notes below each source say what it includes.",
        columns=list(_COLUMNS), rows=rows), note


def _middle(cell: Cell) -> float:
    return cell.median if isinstance(cell, Range) else float(cell or 0)


def _measured(points: pandas.DataFrame) -> list[list[Cell]]:
    from montgomery import KINDS

    makes = [name for name, kind in KINDS.items() if kind.base.does_rsa]
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
