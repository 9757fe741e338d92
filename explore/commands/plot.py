"""``montgomery plot``: measurements as figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import Refusal
from ._catalogue import PLOT_FORMATS, PLOTS
from ._command import Command
from ._options import names
from ._progress import meter
from ._rows import of_one_kind, rows_options, selected_rows
from ._types import OutputFolder

__all__ = ["command"]


@click.command(cls=Command, section="Measurements",
               short_help="Draw measurements as figures.")
@click.argument("plots", metavar="[NAME]...", nargs=-1, type=PLOTS)
@rows_options
@click.option("--output", default=".", metavar="DIR", type=OutputFolder(),
              help="Folder for the figures, made if need be.  [default: the current folder]")
@click.option("--format", "formats", default="svg,png", show_default=True, metavar="NAME,...",
              type=PLOT_FORMATS, help="Formats of the files: svg, png, pdf.")
def command(plots: tuple[str, ...], output: Path, formats: str, **selection: Any) -> None:
    """Draw each plot NAME into a file of that name, and print the names of the files.

    'montgomery list plots' names the plots. Without NAME, all plots are drawn that have something
    to show; one over the width needs two widths. A plot has one kind of core, that of
    the multipliers if there are any; -a chooses another. The same measurements give files of
    the same bytes.

    \b
    montgomery plot --output figures
    montgomery plot latency_lut,lut_width --from results
    montgomery plot latency_lut -t ecp5-85k --format pdf
    """
    from ..plots import _drawing as plot
    from ..plots._style import keep_cache_in
    from ..store import default_path

    rows = selected_rows(**selection)
    if not selection["sources"]:
        keep_cache_in(default_path())
    named = names("NAME", plots)
    rows = of_one_kind(rows, named)
    chosen = named or plot.plots_of(rows, telling=True)
    if not chosen:
        raise Refusal(f"A plot needs a measured point, but none of {len(rows)} rows is one; "
                      "look at 'montgomery table' for what failed")
    with meter("drawing the plots") as progress:
        paths = plot.write(chosen, rows, output, names("--format", [formats]), progress=progress)
    for path in paths:
        click.echo(path)
