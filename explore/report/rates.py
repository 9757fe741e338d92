"""The sections on operations in a second, and on their time on elliptic curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..data.frame import medians
from ..data.labels import curve_name, full_names, labels, present
from ..data.rates import AGREEMENT, ENGINES, POINTS, VERIFICATION, rate_of, with_rate
from ..data.trends import RSA_BITS
from ..devices import siblings
from ..devices import target as device
from ..errors import Refusal
from ..outcome import Status
from ..papers import published
from ..papers._compare import luts
from ..table import SPREAD, Cell, Head, Range, Table, plain_table

if TYPE_CHECKING:
    import pandas

    from ..table import Table

__all__ = ["key_agreements", "scalar_multiplications", "signatures", "tabulate", "verifications"]


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


_BITS = 256
_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
#: A scalar of full length with about as many ones as zeros, which is the key of RFC 6979, A.2.5.
_SCALAR = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721

#: Multiplications of dbl-2001-b, of add-1998-cmo-2, and of the latter with a point whose z is 1.
_DOUBLE, _ADD, _ADD_AFFINE = 8, 16, 11
#: The inversion by Fermat's theorem, the power p - 2; two coordinates into the Montgomery domain;
#: the powers -2 and -3 of z, the two coordinates times these, and both out of the domain.
_AROUND = (_P - 2).bit_length() - 1 + (_P - 2).bit_count() - 1 + 2 + 2 + 2 + 2


def _double_and_add() -> int:
    """Return the number of multiplications if each bit of the scalar doubles, and each one adds."""
    return (_BITS - 1) * _DOUBLE + (_SCALAR.bit_count() - 1) * _ADD_AFFINE + _AROUND


def _window() -> int:
    """Return the number for four bits at a time, with the multiples 2 to 15 in a table."""
    digits = f"{_SCALAR:x}"
    table = _DOUBLE + 13 * _ADD_AFFINE
    adds = len(digits) - digits.count("0") - 1
    return table + (len(digits) - 1) * 4 * _DOUBLE + adds * _ADD + _AROUND


#: The numbers of multiplications of both methods, which skip digits that are 0, so that their time
#: depends on the scalar.
_DOUBLING, _WINDOW = _double_and_add(), _window()
#: What cores of a kind do, where it is no multiple of any point.
_DOES = {"base_multiplication": "multiply the base point alone",
         "key_agreement": "compute X25519 or X448", "ecdsa_verification": "verify a signature"}


def tabulate(rows: pandas.DataFrame, *, targets: Sequence[str] = (), widths: Sequence[int] = ()
             ) -> Table:
    """Return a table with the times of operations on elliptic curves, the shortest first.

    Cores for scalar multiplication, of the base point, for key agreement and for ECDSA verification
    too, stand there as measured, each on its curve, and multipliers, each with its smallest width
    of 256 bits or more, with an estimate for P-256; published times follow. The time of an estimate
    is the sum of the times of all multiplications, each from its last operand word to its first
    result word. Operations in a second include the transfer of operands and results. Those of
    an engine do not wait for each other; in an estimate each multiplication waits for the result of
    the one before. Figures of a point are medians over its seeds, with their ranges.

    In an estimate only modular multiplications take time; additions are free, as Zhang and Dong
    assume. Points are in Jacobian coordinates, and one inversion at the end makes the result
    affine. The numbers of multiplications, squarings among them, are those of the
    Explicit-Formulas Database for a = -3.

    Parameters
    ----------
    targets : sequence of str
        Devices, all that were measured if there are none. What was measured on another one of the
        same cells counts if there is room for it.
    widths : sequence of int
        Bits of a coordinate; all if there are none. 256 includes the 255 of Curve25519.

    Raises
    ------
    ValueError
        If no row has a time.
    """
    fit = medians(rows)
    fit = fit[fit["status"].eq(Status.OK) & (
        fit["kind"].eq("multiplier") & fit["width"].ge(_BITS) | fit["kind"].isin(ENGINES))]
    fit = fit[fit[["fmax_usable_mhz", "cycles_compute", "cycles_interval"]].gt(0).all(axis=1)]
    if widths:
        fit = fit[fit["width"].isin([*widths, *[255] * (256 in widths)])]
    fit = _on(fit.assign(label=labels(fit), place=fit["target"]), targets)
    if fit.empty:
        on = f" on {', '.join(targets)}" if targets else ""
        raise Refusal(f"P-256 needs a measured multiplier of {_BITS} bits or more, and another "
                      f"curve a core that is built for it, but none of {len(rows)} rows is one{on};"
                      " 'montgomery recommend --kind scalar_multiplication --curve P-256' says "
                      "what to measure")
    # The wider versions of a multiplier are not needed.
    narrowest = fit.groupby(["kind", "arch", "place"])["width"].transform("min")
    fit = fit[fit["kind"].isin(ENGINES) | fit["width"].eq(narrowest)]
    independent = fit["cycles_initiation"].where(fit["kind"].isin(ENGINES))
    fit = fit.assign(cycles_interval=independent.fillna(fit["cycles_interval"]))
    products = fit["kind"].isin(ENGINES).map({True: 1, False: _DOUBLING})
    fit = fit.assign(products=products,
                     curve=[curve_name(point) or "P-256" for point in fit.to_dict("records")],
                     time=products * fit["cycles_compute"] / fit["fmax_usable_mhz"])
    kinds = {*fit["kind"]}
    said = ["Multiples of a point of an elliptic curve.",
            *(f"Cores of kind {kind} {does}." for kind, does in _DOES.items() if kind in kinds)]
    if "multiplier" in kinds:
        said.append(f"For multipliers it is an estimate by double-and-add: {_DOUBLING} "
                    f"multiplications ({_WINDOW} with a window of 4 bits), with the inversion at "
                    "the end, for a scalar with as many ones as zeros.")
    others = list(_published()) if "P-256" in {*fit["curve"]} else []
    if others:
        said.append("On other silicon it is as published.")
    return Table(
        caption=f"{' '.join(said)} Median of the seeds {SPREAD}.",
        columns=[Head(name="core", title="Core", numeric=False),
                 Head(name="target", title="Target", numeric=False, heading=True),
                 Head(name="curve", title="Curve", numeric=False),
                 Head(name="lut", title="LUT"),
                 Head(name="compute_ms", title="Time", unit="ms"),
                 Head(name="per_s", title="A second"),
                 Head(name="per_s_per_klut", title="A second and 1,000 LUT")],
        rows=[*map(_measured, fit.sort_values(["place", "curve", "time"]).to_dict("records")),
              *others])


def _on(points: pandas.DataFrame, wanted: Sequence[str]) -> pandas.DataFrame:
    """Return the points of some devices, and those of others of the same cells that have room."""
    import pandas

    found = [points] * (not wanted)
    for name in wanted:
        found.append(points[points["target"].eq(name)])
        for other in siblings(name):
            there = points[points["target"].eq(other)]
            room = [not device(name).lacking(area) for area in there.to_dict("records")]
            found.append(there[room].assign(place=f"{name}, as measured on {other}"))
    return pandas.concat(found)


def _measured(point: Mapping[str, Any]) -> list[Cell]:
    middle, lowest, highest = (point[f"fmax_usable_mhz{bound}"] for bound in ("", "_min", "_max"))
    compute, interval = (point["products"] * point[name]
                         for name in ("cycles_compute", "cycles_interval"))
    lut = point["lut"] if present(point["lut"]) else None
    rates = [1e6 * mhz / interval for mhz in (middle, lowest, highest)]
    return [point["label"], point["place"], point["curve"], lut,
            Range(*(compute / 1000 / mhz for mhz in (middle, highest, lowest))), Range(*rates),
            Range(*(1000 * rate / lut for rate in rates)) if lut else None]


def _published() -> Iterator[list[Cell]]:
    """Yield the rows of published times."""
    for figures in published().values():
        for figure in figures:
            if figure.kind in POINTS and figure.width == _BITS:
                microseconds, lut = figure.figures["latency_us"], luts(figure)
                yield [figure.core, figure.device, "P-256", lut, microseconds / 1000,
                       1e6 / microseconds, 1e9 / microseconds / lut if lut else None]
