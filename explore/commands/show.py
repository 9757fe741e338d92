"""Measured rows as figures, as one document, and as a table."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.frame import medians
from ..data.labels import point_labels, present
from ..data.summary import written
from ..devices import target
from ..errors import Refusal
from ..lookup import known
from ..plots import _drawing as drawing
from ..plots._style import keep_cache_in
from ..report import FORMATS, compose, write_html, write_markdown
from ..report.rates import curves
from ..store import default_path
from ..table import Range, Table, plain_table, render
from ._options import names, refuse_others, widths
from ._progress import meter
from ._rows import of_one_kind, selected_rows

if TYPE_CHECKING:
    import pandas


__all__ = ["limiting", "plot", "report", "table"]


def plot(plots: tuple[str, ...], output: Path, formats: str, **selection: Any) -> None:
    """Draw each plot NAME into a file of that name, and print the names of the files."""
    rows = selected_rows(**selection)
    if not selection["sources"]:
        keep_cache_in(default_path())
    named = names("NAME", plots)
    rows = of_one_kind(rows, named)
    chosen = named or drawing.plots_of(rows, telling=True)
    if not chosen:
        raise Refusal(f"A plot needs a measured point, but none of {len(rows)} rows is one; "
                      "look at 'montgomery table' for what failed")
    with meter("drawing the plots"):
        paths = drawing.write(chosen, rows, output, names("--format", [formats]))
    for path in paths:
        click.echo(path)


def report(formats: tuple[str, ...], output: Path, **selection: Any) -> None:
    """Write a report that compares the measurements with the papers and with each other."""
    chosen = names("--format", formats)
    for name in chosen:
        known("report format", name, FORMATS)
    paths = []
    with meter("writing the report"):
        document = compose(selected_rows(**selection))
        if "html" in chosen:
            write_html(document, output / "report.html")
            paths.append(output / "report.html")
        if "markdown" in chosen:
            paths += write_markdown(document, output)
    for path in paths:
        click.echo(path)


def table(what: str, format: str, columns: tuple[str, ...], **selection: Any) -> None:
    """Show the median over the seeds, with the smallest and the largest."""
    if what in ("points", "seeds"):
        text = written(selected_rows(**selection), format, columns=names("--columns", columns),
                       per_seed=what == "seeds")
    else:
        refuse_others(f"'table {what}'", (), {"columns"})
        text = render(_limits(selection) if what == "limits" else _curves(selection), format)
    click.echo(text, nl=False)


def _limits(selection: dict[str, Any]) -> Table:
    return plain_table(
        "The path that limits the clock most often, of the seeds of each point; delays are "
        "medians.",
        {"Point": "", "Fmax": "MHz", "From … to": "", "Seeds": "", "Levels": "", "Logic": "ns",
         "Routing": "ns", "Share of routing": ""},
        [[point["point"], Range(*point["fmax_mhz"]), point["between"],
          f"{point['times']} of {point['seeds']}", point["levels"], point["logic_ns"],
          point["routing_ns"], f"{100 * point['routing']:.0f} %"]
         for point in limiting(selected_rows(**selection))])


def _curves(selection: dict[str, Any]) -> Table:
    # A width or a device may have what is measured at another width or on another device.
    devices = names("-t", selection["targets"])
    for name in devices:
        target(name)
    points = medians(selected_rows(**{**selection, "widths_": (), "targets": ()}))
    return curves(points, targets=devices, widths=widths(selection["widths_"]))


#: What :func:`explore.netlist.timing.critical_path` writes.
_PATH = re.compile(r"(.+) to (.+): ([0-9.]+) ns logic, ([0-9.]+) ns routing, (\d+) levels")


def limiting(rows: pandas.DataFrame) -> list[dict[str, Any]]:
    """Return, for each point of a frame with a critical path, what limits its clock.

    ``between`` are the registers between which the path lies most often, in ``times`` of ``seeds``.
    Levels and delays are medians of these seeds; ``fmax_mhz`` is the median, the smallest and the
    largest; ``routing`` is the share of routing.
    """
    points: defaultdict[str, list[tuple[float, re.Match[str]]]] = defaultdict(list)
    for label, row in zip(point_labels(rows), rows.to_dict("records"), strict=True):
        match = _PATH.fullmatch(row["critical_path"]) if present(row["critical_path"]) else None
        if match and present(row["fmax_mhz"]):
            points[label].append((float(row["fmax_mhz"]), match))
    found = []
    for label, seeds in points.items():
        (ends, times), = Counter((match[1], match[2]) for _, match in seeds).most_common(1)
        own = [match for _, match in seeds if (match[1], match[2]) == ends]
        logic, routing = (statistics.median(float(match[number]) for match in own)
                          for number in (3, 4))
        speeds = [speed for speed, _ in seeds]
        found.append({
            "point": label, "fmax_mhz": [statistics.median(speeds), min(speeds), max(speeds)],
            "between": f"{ends[0]} … {ends[1]}", "times": times, "seeds": len(seeds),
            "levels": statistics.median(int(match[5]) for match in own), "logic_ns": logic,
            "routing_ns": routing, "routing": routing / (logic + routing or 1.0)})
    return found
