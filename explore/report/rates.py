"""The tables of whole operations: RSA, and operations on elliptic curves.

Cores for an operation stand there as measured, with words in and out. For multipliers it is an
estimate, in which nothing but products takes time, each after the one before. What others publish
is on other silicon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from montgomery import KINDS

from ..data.labels import curve_name, labels, present
from ..data.rates import ENGINES, RSA_BITS, rate_of, with_rate
from ..devices import siblings
from ..devices import target as device
from ..errors import Refusal
from ..outcome import Status
from ..papers import Published, published
from ..papers._compare import luts
from ..table import SPREAD, Cell, Head, Range, Table, heads

if TYPE_CHECKING:
    import pandas

__all__ = ["curves", "rsa"]

_MULTIPLIER = "multiplier"
_AREA = ("lut", "dsp", "bram")
#: What a point has for an estimate, and for the time of an operation.
_TIMED = ["fmax_usable_mhz", "cycles_compute", "cycles_interval"]


def rsa(points: pandas.DataFrame) -> Table | None:
    """Return the table of RSA operations whose exponent has full length, the shortest first.

    A multiplier is taken to compute 2 bits + 2 dependent products. The result is None if no core of
    :data:`RSA_BITS` was measured.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    """
    import pandas

    kinds = [name for name, kind in KINDS.items() if kind.does_rsa]
    fit = _timed(points, points["width"].isin(RSA_BITS))
    multipliers = fit[fit["kind"].eq(_MULTIPLIER)]
    fit = pandas.concat([_whole(fit[fit["kind"].isin(kinds)]), _estimate(
        multipliers, 2 * multipliers["width"] + 2, "cycles_interval")])
    if fit.empty:
        return None
    rows = [*map(_measured, fit.assign(label=labels(fit), place=fit["target"]).to_dict("records")),
            *(row for row in _published({rate_of(kind) for kind in kinds})
              if row["bits"] in RSA_BITS)]
    return _table(
        "RSA, exponent of full length, by one core with one key: with CRT by cores of kind "
        "rsa_crt, without it by the others. For a multiplier 2 bits + 2 dependent products are "
        "taken, with nothing in between. Published figures are on other silicon; where a source "
        "has a time, one signature follows the other. The notes below each source say what it "
        "includes.",
        heads({"bits": "RSA, bits", "core": "Core", "kind": "Kind", "target": "Target",
               "lut": "LUT", "dsp": "DSP", "bram": "BRAM", "time_ms": "Time, ms",
               "per_s": "Signatures, 1/s", "figure": "Figure"}, texts="core kind target figure",
              ranks={"figure": 5}),
        sorted(rows, key=lambda row: (row["bits"], _milliseconds(row))))


#: Bits of a coordinate of P-256.
_BITS = 256
#: Multiplications, squarings among them, of a multiple of a point of P-256. The scalar has about as
#: many ones as zeros: it is the key of RFC 6979, A.2.5, with 128 ones. Points are in Jacobian
#: coordinates: 8 multiplications double one (dbl-2001-b), 11 add one whose z is 1, and 16 add any
#: (add-1998-cmo-2). The power p - 2, which inverts, takes 382; two each bring coordinates into the
#: Montgomery domain, make powers of z, join these with the coordinates, and lead out of the domain.
#: So it is 255 * 8 + 127 * 11 + 390 bit by bit. With windows of 4 bits it is (8 + 13 * 11) for the
#: multiples 2 to 15, and 63 * 4 * 8 + 61 * 16 + 390. Zeros are skipped, so that both depend on the
#: scalar.
_DOUBLING, _WINDOW = 3827, 3533
#: What cores of a kind do, where it is no multiple of any point.
_DOES = {"base_multiplication": "multiply the base point alone",
         "key_agreement": "compute X25519 or X448", "ecdsa_verification": "verify a signature"}


def curves(points: pandas.DataFrame, *, targets: Sequence[str] = (), widths: Sequence[int] = ()
           ) -> Table:
    """Return the table of operations on elliptic curves, the shortest first on each curve.

    Engines stand there on their curves, and multipliers, each with its smallest width of 256 bits
    or more, with an estimate for P-256; published figures are of the same curves. A time is from
    the last operand word to the first result word. Operations in a second include words in and
    out, and those of an engine do not wait for each other.

    In an estimate only modular multiplications take time; additions are free, as Zhang and Dong
    assume.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    targets : sequence of str
        Devices, all that were measured if there are none. What was measured on another one of the
        same cells counts if there is room for it.
    widths : sequence of int
        Bits of a coordinate; all if there are none. 256 includes the 255 of Curve25519.
    """
    import pandas

    wanted = [*widths, *[255] * (256 in widths)]
    fit = _timed(points, points["width"].isin(wanted) | (not widths))
    # The wider versions of a multiplier are not needed.
    multipliers = fit[fit["kind"].eq(_MULTIPLIER) & fit["width"].ge(_BITS)]
    narrowest = multipliers.groupby(["arch", "target"])["width"].transform("min")
    multipliers = multipliers[multipliers["width"].eq(narrowest)]
    fit = pandas.concat([_whole(fit[fit["kind"].isin(ENGINES)]),
                         _estimate(multipliers, _DOUBLING, "cycles_compute")])
    fit = _on(fit.assign(label=labels(fit), place=fit["target"]), targets)
    if fit.empty:
        on = f" on {', '.join(targets)}" if targets else ""
        raise Refusal(f"P-256 needs a measured multiplier of {_BITS} bits or more, and another "
                      f"curve a core that is built for it, but none of {len(points)} points is one"
                      f"{on}; 'montgomery recommend --kind scalar_multiplication --curve P-256' "
                      "says what to measure")
    rows = list(map(_measured, fit.to_dict("records")))
    here = {row["curve"] for row in rows}
    others = [row for row in _published({rate_of(kind) for kind in ENGINES})
              if row["curve"] in here and (not widths or row["bits"] in wanted)]
    kinds = {*fit["kind"]}
    said = ["Multiples of a point of an elliptic curve.",
            *(f"Cores of kind {kind} {does}." for kind, does in _DOES.items() if kind in kinds)]
    if _MULTIPLIER in kinds:
        said.append(f"For multipliers it is an estimate by double-and-add: {_DOUBLING} "
                    f"multiplications ({_WINDOW} with a window of 4 bits), with the inversion at "
                    "the end, for a scalar with as many ones as zeros.")
    if others:
        said.append("On other silicon it is as published.")
    return _table(
        f"{' '.join(said)} Median of the seeds {SPREAD}.",
        heads({"core": "Core", "target": "Target", "curve": "Curve", "lut": "LUT", "dsp": "DSP",
               "bram": "BRAM", "time_ms": "Time, ms", "per_s": "A second",
               "per_s_per_klut": "A second and 1,000 LUT", "per_s_per_dsp": "A second and DSP",
               "constant_time": "Constant time", "figure": "Figure"}, heading="target",
              texts="core target curve constant_time figure",
              ranks={"dsp": 3, "bram": 4, "per_s_per_dsp": 1, "constant_time": 2, "figure": 5}),
        [{**row, "per_s_per_klut": _share(row, "lut", 1000), "per_s_per_dsp": _share(row, "dsp")}
         for row in sorted([*rows, *others], key=lambda row: (row["curve"], _milliseconds(row)))])


def _table(caption: str, heads: Sequence[Head], rows: Sequence[Mapping[str, Cell]]) -> Table:
    return Table(caption=caption, columns=heads,
                 rows=[[row[head.name] for head in heads] for row in rows])


def _timed(points: pandas.DataFrame, wanted: Any) -> pandas.DataFrame:
    """Return the points that are wanted and have a time."""
    fit = points[points["status"].eq(Status.OK) & wanted]
    return fit[fit[_TIMED].gt(0).all(axis=1)]


def _whole(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return points of cores for an operation, with its clocks and the operations in a second."""
    return points if points.empty else with_rate(points, "per_s").assign(
        clocks=points["cycles_compute"], figure="measured")


def _estimate(points: pandas.DataFrame, products: Any, clocks: str) -> pandas.DataFrame:
    """Return points of multipliers, with the same for so many products."""
    if points.empty:
        return points
    interval = products * points["cycles_interval"]
    return points.assign(clocks=products * points[clocks], figure="estimate", **{
        f"per_s{end}": 1e6 * points[f"fmax_usable_mhz{end}"] / interval
        for end in ("", "_min", "_max")})


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


def _measured(point: Mapping[str, Any]) -> dict[str, Cell]:
    """Return the cells of a measured or estimated point, by the names of columns."""
    times = (point["clocks"] / point[f"fmax_usable_mhz{end}"] / 1000
             for end in ("", "_max", "_min"))
    return {"bits": point["width"], "curve": curve_name(point) or "P-256", "core": point["label"],
            "kind": point["kind"], "target": point["place"],
            **{name: point[name] if present(point[name]) else None for name in _AREA},
            "time_ms": Range(*times),
            "per_s": Range(*(point[f"per_s{end}"] for end in ("", "_min", "_max"))),
            "constant_time": _yes(point["constant_time"]), "figure": point["figure"]}


def _published(rates: set[str]) -> Iterator[dict[str, Cell]]:
    """Yield the cells of each published figure with one of some rates."""
    every: Iterator[Published] = (figure for own in published().values() for figure in own)
    for figure in every:
        if figure.rate in rates and figure.operations_per_s is not None:
            time = figure.figures.get("latency_us")
            yield {"bits": figure.width,
                   "curve": figure.curve.replace("any", "P-256"),
                   "core": _named(figure),
                   "kind": figure.kind, "target": figure.device,
                   **{name: figure.figures.get(name) for name in _AREA}, "lut": luts(figure),
                   "time_ms": None if time is None else time / 1000,
                   "per_s": figure.operations_per_s,
                   "constant_time": _yes(figure.constant_time),
                   "figure": f"published, {figure.table}"}


def _named(figure: Published) -> str:
    """Return the name of a published system, behind that of its paper unless it says it."""
    paper = figure.source.partition(":")[0]
    return figure.name if paper == "Others" or paper in figure.name else f"{paper}: {figure.name}"


def _yes(value: Any) -> Cell:
    return ("yes" if value else "no") if present(value) else None


def _middle(cell: Cell) -> float:
    return cell.median if isinstance(cell, Range) else float(cell or 0)


def _milliseconds(row: Mapping[str, Cell]) -> float:
    """Return the time of an operation, or that between two of them if its own is not known."""
    return _middle(row["time_ms"]) or 1000 / _middle(row["per_s"])


def _share(row: Mapping[str, Any], what: str, count: int = 1) -> Cell:
    """Return the operations in a second for a count of LUTs or blocks; None without any."""
    if not row[what]:
        return None
    scale = count / row[what]
    rate = row["per_s"]
    return Range(*(scale * each for each in rate)) if isinstance(rate, Range) else scale * rate
