"""``montgomery table``: measurements as a table."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import click

from ..data.labels import point_labels, present
from ._catalogue import COLUMNS, TABLE_FORMAT
from ._command import Command
from ._options import names, refuse_others, widths
from ._rows import rows_options, selected_rows

if TYPE_CHECKING:
    import pandas

    from ..table import Table

__all__ = ["command", "limiting"]


@click.command(cls=Command, section="Measurements",
               short_help="Show measurements as a table.")
@click.argument("what", default="points", metavar="[points|seeds|limits|curves]",
                type=click.Choice(["points", "seeds", "limits", "curves"]))
@rows_options
@click.option("--columns", metavar="NAME,...", multiple=True, type=COLUMNS,
              help="Show these quantities, such as lut,latency_us, all of them; 'montgomery list "
                   "columns' names them, with units.")
@click.option("--format", "format", default="terminal", show_default=True, metavar="NAME",
              type=TABLE_FORMAT, help="terminal, markdown, csv or latex (for booktabs).")
def command(what: str, format: str, columns: tuple[str, ...], **selection: Any) -> None:
    """Show measurements as a table: the median over the seeds, with the smallest and the largest.

    With 'seeds', each seed has a row. 'limits' says what limits the clock of each point: the
    signals between which the critical path lies most often, its levels of logic, and how much of it
    is routing. 'curves' says how long a multiple of a point of an elliptic curve takes, as measured
    on cores that are built for a curve, also on a device of the same cells; the time of others is
    as published, and for a multiplier it is an estimate for P-256. 256 bits include the 255 of
    X25519 and Ed25519.

    The terminal's table fits the terminal, or 80 columns where there is none; the variable COLUMNS
    sets another width. Where room is short, ranges are shortened, and a line below the table names
    the quantities that are left out. With --columns all of the named quantities are shown, in a
    table that may be wider than the terminal. The name of a core is followed by the parameters and
    tool options that differ from their defaults. A point that failed has its status in place of its
    clock frequency.

    In Markdown each parameter and tool option that differs has a column, and the quantities are
    complete. LaTeX has what fits a page.

    CSV is for programs. Its columns do not depend on the selection, so that tables can be joined:
    kind, arch, width, params, target, options, seeds, seeds_ok, status, and the quantities.
    'params' and 'options' are JSON with sorted names, and hold the defaults too. A quantity that
    varies with the seed has three columns: NAME, NAME_min and NAME_max. Of 'seeds', 'seed' stands
    in place of 'seeds' and 'seeds_ok', and --from can read the table again.

    \b
    montgomery table -a mmm_mx_1d -n 256
    montgomery table --format latex --columns lut,fmax_usable_mhz,latency_us > table.tex
    montgomery table seeds --format csv > table.csv
    montgomery table limits -t ecp5-25k
    montgomery table curves -t ecp5-85k
    """
    from ..data.summary import written
    from ..table import render

    if what in ("points", "seeds"):
        text = written(selected_rows(**selection), format, columns=names("--columns", columns),
                       per_seed=what == "seeds")
    else:
        refuse_others(f"'table {what}'", (), {"columns"})
        text = render(_limits(selection) if what == "limits" else _curves(selection), format)
    click.echo(text, nl=False)


def _limits(selection: dict[str, Any]) -> Table:
    from ..table import Range, plain_table

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
    from ..data.frame import medians
    from ..devices import target
    from ..report.rates import curves

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
