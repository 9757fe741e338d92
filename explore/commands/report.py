"""``montgomery report``: everything in one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..lookup import known
from ._command import Command
from ._options import names
from ._progress import meter
from ._rows import rows_options, selected_rows
from ._types import Name, OutputFolder

__all__ = ["command"]

_FORMATS = ("html", "markdown")


@click.command(cls=Command, section="Measurements",
               short_help="Write a report: measurements beside papers, plots, fronts, times.")
@rows_options
@click.option("--format", "formats", default=("html",), show_default=True, multiple=True,
              metavar="NAME,...", type=Name(lambda: dict.fromkeys(_FORMATS, ""), listed=True),
              help="html (one file that needs no other) or markdown (with figures in SVG).")
@click.option("--output", default=Path("report"), show_default=True, metavar="DIR",
              type=OutputFolder(), help="Folder for the report, made if need be.")
def command(formats: tuple[str, ...], output: Path, **selection: Any) -> None:
    """Write a report that compares the measurements with the papers and with each other.

    The report begins with the cores that no other core beats. Plots, with axes to choose, and the
    table of all points follow; they can be filtered by any column. Then come the times of RSA and
    of P-256, RSA signatures per second beside those of other systems, each paper's table beside
    the measured figures and whether the paper's claims hold, and how area and time grow with the
    width.

    \b
    montgomery report --from results --output report
    """
    chosen = names("--format", formats)
    for name in chosen:
        known("report format", name, _FORMATS)
    from ..report import compose, write_html, write_markdown

    paths = []
    with meter("writing the report"):
        document = compose(selected_rows(**selection))
        if "html" in chosen:
            write_html(document, output / "report.html")
            paths.append(output / "report.html")
    if "markdown" in chosen:
        with meter("drawing the plots of the report") as progress:
            paths += write_markdown(document, output, progress=progress)
    for path in paths:
        click.echo(path)
