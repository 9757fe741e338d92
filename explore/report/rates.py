"""The sections on operations in a second: measured cores, and published ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..data.labels import curve_name, full_names, present
from ..data.rates import AGREEMENT, POINTS, VERIFICATION, rate_of, with_rate
from ..data.trends import RSA_BITS
from ..outcome import Status
from ..papers import published
from ..table import Cell, Range, plain_table

if TYPE_CHECKING:
    import pandas

    from ..table import Table

__all__ = ["key_agreements", "scalar_multiplications", "signatures", "verifications"]

_AREA = ("lut", "dsp", "bram")
_TITLES = {"Core": "", "Kind": "", "Device": "", "LUT": "", "DSP": "", "BRAM": ""}
_MEASURED = "measured"
_PUBLISHED = ("Measured ones include words in and out. Published ones are on other silicon; where "
              "a source has a time, one {} follows the other. The notes below each source say what "
              "it includes.")


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
    rows = [row for row in _rows(points, "signatures_per_s") if row["width"] in RSA_BITS]
    rows.sort(key=lambda row: (row["width"], -_middle(row["rate"])))
    if all(row["figure"] != _MEASURED for row in rows):
        return None
    return plain_table(
        "RSA signatures in a second, by one core with one key: with CRT by cores of kind "
        f"rsa_crt, without it by exponentiators. {_PUBLISHED.format('signature')}",
        {"Key": "bits", **_TITLES, "Signatures": "1/s", "Figure": ""},
        [[row[name] for name in ("width", "core", "kind", "device", *_AREA, "rate", "figure")]
         for row in rows])


def scalar_multiplications(points: pandas.DataFrame) -> Table | None:
    """Return the table of scalar multiplications in a second, the fastest first for each curve.

    Columns say how many there are for 1,000 LUTs, and for a multiplier block. Parameter and result
    are as those of :func:`signatures`.
    """
    return _on_curves(
        points, POINTS, "Scalar multiplications",
        "Scalar multiplications in a second, by one core: of any point, or by cores of kind "
        f"base_multiplication of the base point. {_PUBLISHED.format('scalar multiplication')}")


def verifications(points: pandas.DataFrame) -> Table | None:
    """Return the table of ECDSA verifications in a second, as :func:`scalar_multiplications`."""
    return _on_curves(
        points, (VERIFICATION,), "Verifications",
        "ECDSA verifications in a second, by one core. Signatures do not wait for each other, and "
        "words in and out are included.")


def key_agreements(points: pandas.DataFrame) -> Table | None:
    """Return the table of key agreements in a second, as :func:`scalar_multiplications`."""
    return _on_curves(
        points, (AGREEMENT,), "Key agreements",
        "Key agreements in a second, by one core. They do not wait for each other, and words in "
        "and out are included.")


def _on_curves(points: pandas.DataFrame, kinds: Iterable[str], title: str,
               caption: str) -> Table | None:
    rows = [row for kind in kinds for row in _rows(points, rate_of(kind))]
    rows.sort(key=lambda row: (row["width"], row["curve"], -_middle(row["rate"])))
    if all(row["figure"] != _MEASURED for row in rows):
        return None
    titles = {name: unit for name, unit in _TITLES.items() if name != "Kind"}
    return plain_table(
        caption,
        {"Curve": "", **titles, title: "1/s", "Per 1,000 LUT": "1/s",
         "Per DSP": "1/s", "Constant time": "", "Figure": ""},
        [[row["curve"], row["core"], row["device"], *(row[name] for name in _AREA), row["rate"],
          _share(row, "lut", 1000), _share(row, "dsp"), row["constant_time"], row["figure"]]
         for row in rows])


def _middle(cell: Cell) -> float:
    return cell.median if isinstance(cell, Range) else float(cell or 0)


def _share(row: Mapping[str, Any], what: str, count: int = 1) -> Cell:
    """Return the rate for a count of LUTs or blocks; None without any."""
    return count * _middle(row["rate"]) / row[what] if row[what] else None


def _yes(value: Any) -> Cell:
    return ("yes" if value else "no") if present(value) else None


def _rows(points: pandas.DataFrame, rate: str) -> Iterator[dict[str, Any]]:
    """Yield what is known of each core with such a rate: measured ones, then published ones."""
    kinds = [kind for kind in set(points["kind"]) if rate_of(kind) == rate]
    fit = points[points["status"].eq(Status.OK) & points["kind"].isin(kinds)]
    if len(fit):
        fit = with_rate(fit, rate).assign(label=full_names(fit)).dropna(subset=rate)
    for point in fit.to_dict("records"):
        yield {"width": point["width"], "curve": curve_name(point),
               "core": f"here: {point['label']}", "kind": point["kind"], "device": point["target"],
               **{name: point[name] for name in _AREA},
               "rate": Range(*(point[f"{rate}{end}"] for end in ("", "_min", "_max"))),
               "constant_time": _yes(point["constant_time"]), "figure": _MEASURED}
    for figures in published().values():
        for figure in figures:
            if figure.rate == rate and figure.operations_per_s is not None:
                yield {"width": figure.width, "curve": figure.curve,
                       "core": f"{figure.source.partition(':')[0]}: {figure.name}",
                       "kind": figure.kind, "device": figure.device,
                       **{name: figure.figures.get(name) for name in _AREA},
                       "rate": figure.operations_per_s,
                       "constant_time": _yes(figure.constant_time),
                       "figure": f"published, {figure.table}"}
