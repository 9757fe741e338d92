"""Interactive charts: figures for plotly's JavaScript library, as JSON."""

from __future__ import annotations

import dataclasses
import html
import importlib.util
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..data.frame import is_measured
from ..data.labels import full_names, labels, present
from ..plots._style import marked

if TYPE_CHECKING:
    import pandas

__all__ = ["available", "charts", "library"]

#: Colours of the cores, which can be distinguished on white and on black.
_COLOURS = ("#0072B2", "#E69F00", "#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#8a6d3b", "#777777",
            "#7b5cd6", "#999933", "#c0392b", "#16a085")
#: Symbols of the settings of a core.
_SYMBOLS = tuple(f"{shape}{form}" for form in ("", "-open") for shape in (
    "circle", "square", "triangle-up", "diamond", "x", "cross", "star", "hexagon", "triangle-down",
    "pentagon", "triangle-left", "triangle-right", "star-triangle-up", "star-square",
    "diamond-tall", "hourglass", "bowtie", "hexagram"))
#: Size in pixels of the font of the legend.
_LEGEND_FONT = 12

#: Name, title, columns of x and y, and titles of the two axes of each chart.
_CHARTS = (
    ("lut_width", "Area against width", "width", "lut", "Width, bits", "LUTs"),
    ("fmax_width", "Usable Fmax against width", "width", "fmax_usable_mhz", "Width, bits",
     "Usable Fmax, MHz"),
    ("latency_width", "Latency against width", "width", "latency_us", "Width, bits",
     "Latency, µs"),
    ("latency_lut", "Latency against area", "lut", "latency_us", "LUTs", "Latency, µs"),
    ("throughput_lut", "Throughput against area", "lut", "throughput_pipelined_mbps", "LUTs",
     "Pipelined throughput, Mbit/s"),
    ("dsp_us", "DSP blocks times latency against width", "width", "dsp_us", "Width, bits",
     "DSP·µs"),
)
#: Columns that :func:`_hover` shows.
_HOVERED = ["name", "width", "target", "lut", "ff", "dsp", "bram", "fmax_usable_mhz",
            "fmax_usable_mhz_min", "fmax_usable_mhz_max", "cycles_compute", "latency_us",
            "seeds_ok"]


def available() -> bool:
    """Return whether the package plotly is installed."""
    return importlib.util.find_spec("plotly") is not None


def library() -> str:
    """Return the source of plotly's JavaScript library, which is part of the page."""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


def charts(points: pandas.DataFrame) -> list[dict[str, Any]]:
    """Return the charts of the page: dictionaries with ``name``, ``title`` and ``figure``.

    A figure is JSON without characters that would end a script of the page.

    A series is a multiplier with its settings on a target. Other kinds of cores are left out, since
    their times are far longer. All series of a core share its colour and one entry of the legend;
    their markers differ, and the text of a point names its settings. Bars show the range over the
    seeds. At first, the page shows the target with the most widths, and of those the one with the
    most points. Charts over the width are left out if there is one width only.

    Parameters
    ----------
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    """
    from jinja2.utils import htmlsafe_json_dumps

    measured = points[is_measured(points) & (points["kind"] == "multiplier")]
    if measured.empty:
        return []
    # Names have all settings that differ from their defaults, even if all points share them.
    measured = measured.assign(label=labels(measured), name=full_names(measured), **{
        f"dsp_us{bound}": measured["dsp"].where(measured["dsp"] > 0)
        * measured[f"latency_us{bound}"] for bound in ("", "_min", "_max")})
    measured = measured.sort_values("width", kind="stable")
    series = _series(measured)
    ticks = {name: marked(measured[name]) if name == "width" else None
             for _, _, name, *_ in _CHARTS}
    there = measured.groupby("target", sort=True)["width"]
    first = max(there.groups, key=lambda target: (there.get_group(target).nunique(),
                                                  len(there.get_group(target))))
    found = []
    for name, title, x, y, x_title, y_title in _CHARTS:
        if x == "width" and measured["width"].nunique() < 2:
            continue
        traces = [trace for one in series if (trace := _trace(one, x, y))]
        named: set[tuple[str, str]] = set()
        for trace in traces:
            entry = (trace["meta"], trace["legendgroup"])
            trace["showlegend"] = entry not in named
            trace["visible"] = trace["meta"] == first
            named.add(entry)
        if traces:
            found.append({"name": name, "title": title, "figure": htmlsafe_json_dumps({
                "data": traces, "layout": _layout(x_title, y_title, ticks[x])},
                allow_nan=False)})
    return found


@dataclasses.dataclass(frozen=True)
class _Series:
    """The points of one label on one target, by column, with their colour and symbol."""

    core: str
    target: str
    colour: str
    symbol: str
    columns: dict[str, list[Any]]


def _series(points: pandas.DataFrame) -> list[_Series]:
    numbers = {bound: name for _, _, *axes, _, _ in _CHARTS for name in axes
               for bound in (name, f"{name}_min", f"{name}_max") if bound in points}
    columns = {name: points[name].tolist() for name in numbers}
    columns["text"] = [_hover(point) for point in points[_HOVERED].to_dict("records")]
    cores = {name: index for index, name in enumerate(sorted(set(points["arch"])))}
    pairs = sorted(set(zip(points["arch"], points["label"], strict=True)))
    # If there are more cores than colours, colours are used again with other symbols.
    symbols = {pair: index + cores[pair[0]] // len(_COLOURS) * 7 for core in cores
               for index, pair in enumerate(pair for pair in pairs if pair[0] == core)}
    groups = points.groupby(["target", "arch", "label"], sort=True).indices
    return [_Series(core, target, _COLOURS[cores[core] % len(_COLOURS)],
                    _SYMBOLS[symbols[core, label] % len(_SYMBOLS)],
                    {name: [values[place] for place in places] for name, values in columns.items()})
            for (target, core, label), places in groups.items()]


def _trace(series: _Series, x: str, y: str) -> dict[str, Any] | None:
    """Return plotly's trace of a series; None if no point has values in both columns."""
    columns = series.columns
    there = [place for place, pair in enumerate(zip(columns[x], columns[y], strict=True))
             if all(map(present, pair))]
    if not there:
        return None

    def taken(name: str) -> list[Any]:
        return [columns[name][place] for place in there]

    trace: dict[str, Any] = {
        "type": "scatter", "mode": "lines+markers",
        "name": _shown(series.core), "legendgroup": _shown(series.core), "meta": series.target,
        "x": _plain(taken(x)), "y": _plain(taken(y)), "text": taken("text"),
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": series.colour, "width": 1.5},
        "marker": {"symbol": series.symbol, "size": 8}}
    if f"{y}_max" in columns:
        bounds = list(zip(taken(y), taken(f"{y}_min"), taken(f"{y}_max"), strict=True))
        trace["error_y"] = {
            "type": "data", "symmetric": False, "thickness": 1, "width": 2,
            "array": _plain(largest - middle for middle, _, largest in bounds),
            "arrayminus": _plain(middle - smallest for middle, smallest, _ in bounds)}
    return trace


def _shown(name: str) -> str:
    """Return the text by which plotly, which reads some HTML, shows a name unchanged."""
    return html.escape(name, quote=False)


def _plain(values: Iterable[float]) -> list[float | None]:
    return [float(value) if present(value) else None for value in values]


def _hover(point: dict[str, Any]) -> str:
    lines = [f"<b>{_shown(point['name'])}</b>, {point['width']} bits, {_shown(point['target'])}"]
    counts = [f"{point[name]:,.0f} {what}" for name, what in (
        ("lut", "LUT"), ("ff", "FF"), ("dsp", "DSP"), ("bram", "block RAM"))
        if present(point[name]) and point[name]]
    lines.append(", ".join(counts))
    if present(point["fmax_usable_mhz"]):
        lines.append(f"{point['fmax_usable_mhz']:.0f} MHz "
                     f"({point['fmax_usable_mhz_min']:.0f} to {point['fmax_usable_mhz_max']:.0f}), "
                     f"{point['cycles_compute']:,.0f} clocks, {point['latency_us']:.4g} µs, "
                     f"{point['seeds_ok']} seeds")
    return "<br>".join(lines)


def _layout(x_title: str, y_title: str, ticks: list[int] | None) -> dict[str, Any]:
    """Return plotly's layout of a chart; ``ticks`` are the ticks of the horizontal axis."""
    marks = {"tickmode": "array", "tickvals": list(map(int, ticks))} if ticks else {}
    return {"xaxis": {"title": {"text": x_title}, "type": "log", **marks},
            "yaxis": {"title": {"text": y_title}, "type": "log"},
            "hovermode": "closest", "margin": {"l": 60, "r": 10, "t": 45, "b": 50},
            "legend": {"groupclick": "togglegroup", "font": {"size": _LEGEND_FONT}},
            "showlegend": True,
            "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}
