"""Puts published figures and measured points of the same core, kind and width in one table.

The table has ratios of measured to published values. Clock counts do not depend on the device, so
their ratio compares two designs. The ratio of times also depends on the devices, which are usually
different. The ratio of areas is only given if both devices are of the same family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..data.labels import labels, present
from ..devices import Target, targets
from ..outcome import Status
from ..table import Cell, Range, Table, heads, text
from . import Published

if TYPE_CHECKING:
    import pandas

__all__ = ["luts", "microseconds", "same_family", "tabulate"]

#: From the beginning of the name of a published device to the target of the same family, or of the
#: nearest family that the tools have.
_FAMILIES = {
    "Xilinx Virtex-II": "xc2v", "Xilinx Virtex-4": "xc4v", "Xilinx XC4V": "xc4v",
    "Xilinx Virtex-5": "xc5v", "Xilinx XC5V": "xc5v", "Xilinx XC6V": "xc6v",
    "Xilinx Artix-7": "xc7", "Xilinx XC7": "xc7", "Altera Stratix III": "cyclonev",
    "Lattice LFE5U-85F": "ecp5-85k",
}

#: Statuses of points whose area is known.
_WITH_AREA = [str(status) for status in Status if status.is_result]

#: Units of area by the names of figures. A source's first one in this order is shown as its area.
_AREAS = {"lut": "LUT", "aluts": "ALUT", "slices": "slices", "logic_elements": "LE",
          "clbs": "CLB", "gates": "gates"}


def same_family(device: str) -> str | None:
    """Return the target of the same family as a published device; None if there is none."""
    found = [name for start, name in _FAMILIES.items() if device.startswith(start)]
    return found[0] if found and found[0] in targets() else None


def luts(figure: Published) -> float | None:
    """Return the area of a figure in LUTs of its family, all LUTs of a slice; None if unknown."""
    for name in ("lut", "aluts"):
        if name in figure.figures:
            return figure.figures[name]
    family = same_family(figure.device)
    if "slices" not in figure.figures or family is None:
        return None
    of_slice = targets()[family].family.slice
    return None if of_slice is None else figure.figures["slices"] * of_slice[0]


def microseconds(figure: Published) -> float | None:
    """Return the latency of a figure, or its clocks at its frequency; None if both are unknown."""
    _, clocks = _clocks(figure.figures)
    if "latency_us" in figure.figures or clocks is None or "fmax_mhz" not in figure.figures:
        return figure.figures.get("latency_us")
    return clocks / figure.figures["fmax_mhz"]


def _points_of(figure: Published, points: pandas.DataFrame) -> list[Mapping[str, Any]]:
    """Return the points of the same core, kind and width as a figure.

    If there are several such points on a target, only the point with the shortest latency, the
    point with the fewest LUTs, and those with the parameters of the source are returned. Areas
    alone are of the device's own family. A figure for all widths is compared with the widest points
    there.
    """
    if points.empty:
        return []
    fit = points[(points["arch"] == figure.core) & (points["kind"] == figure.kind)
                 & points["status"].isin(_WITH_AREA) & points["lut"].notna()]
    own = fit["target"] == same_family(figure.device)
    fit = fit[own if figure.width is None else own | (fit["status"] != Status.AREA_ONLY)]
    fit = fit[fit["width"] == (fit["width"].max() if figure.width is None else figure.width)]
    fit = fit.assign(label=labels(fit)) if len(fit) else fit
    chosen = {here[column].idxmin(): None for _, here in fit.groupby("target", sort=True)
              for column in ("latency_us", "lut") if here[column].notna().any()}
    if figure.params:
        alike = [all(point.get(name, value) == value for name, value in figure.params.items())
                 for point in fit["params"]]
        chosen |= dict.fromkeys(fit.index[alike])
    return [fit.loc[index].to_dict() for index in chosen]


def _ratio(ours: Any, theirs: Any) -> float | None:
    return ours / theirs if present(ours) and present(theirs) and theirs else None


def _clocks(figures: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name of the clock count that a source gives, and the count; None for none."""
    for name in ("cycles_compute", "cycles_interval"):
        if name in figures:
            return name, figures[name]
    return "cycles_compute", None


def _spread(point: Mapping[str, Any], name: str) -> Cell:
    if not present(point.get(name)):
        return None
    return Range(point[name], point[f"{name}_min"], point[f"{name}_max"])


def _published(figure: Published) -> list[Cell]:
    area = next(((figure.figures[name], unit) for name, unit in _AREAS.items()
                 if name in figure.figures), (None, None))
    _, clocks = _clocks(figure.figures)
    return [f"{figure.table}: {figure.name}", figure.device, figure.width, area[0], area[1],
            figure.figures.get("ff"), figure.figures.get("dsp"), figure.figures.get("bram"),
            figure.figures.get("fmax_mhz"), clocks, figure.figures.get("latency_us"),
            None, None, None, _others(figure)]


def _others(figure: Published) -> str | None:
    """Return a text with the figures that have no column in the table; None if there are none."""
    shown = {*_AREAS, "ff", "dsp", "bram", "fmax_mhz", "cycles_compute", "cycles_interval",
             "latency_us"}
    area = next((name for name in _AREAS if name in figure.figures), None)
    others = [f"{name.replace('_', ' ')} {text(value)}" for name, value in figure.figures.items()
              if name not in shown or (name in _AREAS and name != area)]
    return ", ".join(others) or None


def _measured(point: Mapping[str, Any], figure: Published) -> list[Cell]:
    device = targets().get(point["target"])
    counted, clocks = _clocks(figure.figures)
    own_family = same_family(figure.device) == point["target"]
    latency = point["latency_us"]
    if counted == "cycles_interval" and present(latency):
        latency = point["cycles_interval"] / point["fmax_usable_mhz"]
    where = point["target"] + ("" if point["status"] == Status.OK else f" ({point['status']})")

    def count(name: str) -> Cell:
        return point[name] if present(point[name]) else None

    return [f"here: {point['label']}", where, point["width"], count("lut"),
            device.lut_name if device else "LUT", count("ff"), count("dsp"), count("bram"),
            _spread(point, "fmax_usable_mhz"), count(counted),
            latency if present(latency) else None,
            _ratio(point["lut"], figure.figures.get("lut")) if own_family else None,
            _ratio(point[counted], clocks),
            _ratio(latency, figure.figures.get("latency_us")),
            _slices(point, device) if own_family and "slices" in figure.figures else None]


def _slices(point: Mapping[str, Any], device: Target) -> str | None:
    """Return the estimate of slices as a text, so that nobody takes it for a measurement."""
    if not present(point["ff"]):
        return None
    slices = device.family.slices(point)
    return None if slices is None else f"{slices:,} slices or more (estimate: all full)"


def tabulate(source: str, figures: Sequence[Published], points: pandas.DataFrame) -> Table | None:
    """Return the table of figures, each followed by measured points of the same core.

    The result is None if some of the figures are of cores that are here, and none was measured.
    """
    rows: list[list[Cell]] = []
    for figure in figures:
        rows.append(_published(figure))
        rows += [_measured(point, figure) for point in _points_of(figure, points)]
    if len(rows) == len(figures) and any(figure.is_here for figure in figures):
        return None
    return Table(
        caption=f"{source}. Ratios are ours to theirs; a time is on other silicon unless its area "
                "has a ratio too.",
        columns=heads({"core": "Core", "device": "Device", "width": "Width, bits", "area": "Area",
                       "unit": "Unit", "ff": "FF", "dsp": "DSP", "bram": "BRAM",
                       "fmax_usable_mhz": "Clock, MHz", "cycles": "Clocks",
                       "latency_us": "Time, µs", "area_ratio": "Area, ratio",
                       "cycles_ratio": "Clocks, ratio", "time_ratio": "Time, ratio",
                       "others": "Also"}, texts="core device unit others"),
        rows=rows)
