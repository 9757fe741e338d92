"""``montgomery plot``: measurements as figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..data.collector import uncollected
from ._options import names, rows_options, selected_rows
from ._outputs import OutputFolder

__all__ = ["command"]


@click.command(short_help="Draw measurements.")
@click.argument("plots", metavar="[NAME]...", nargs=-1)
@rows_options
@click.option("--output", default=".", metavar="DIR", help="Folder to write to.  [default: here]",
              type=OutputFolder())
@click.option("--format", "formats", default="svg,png", show_default=True, metavar="NAME,...",
              help="svg, png or pdf.")
@uncollected()
def command(plots: tuple[str, ...], output: Path, formats: str, **selection: Any) -> None:
    """Draw the plots NAME ('montgomery list plots') into files of these names.

    Without NAME, all of them that have something to show.

    The same measurements give the same bytes.

    \b
    montgomery plot --output figures
    montgomery plot latency_lut -t ecp5-85k --format pdf
    """
    from ..plots import _drawing as plot
    from ..plots._style import keep_cache_in
    from ..store import default_path

    rows = selected_rows(**selection)
    if selection["source"] is None:
        keep_cache_in(selection["store_path"] or default_path())
    chosen = names(plots) or plot.plots_of(rows)
    if not chosen:
        raise ValueError(f"A plot needs a measured point, but none of {len(rows)} rows is one; "
                         "look at 'montgomery table' for what failed")
    for path in plot.write(chosen, rows, output, names([formats])):
        click.echo(path)
