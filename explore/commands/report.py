"""``montgomery report``: everything in one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..lookup import known
from ._options import rows_options, selected_rows
from ._outputs import OutputFolder

__all__ = ["command"]

_FORMATS = ("html", "markdown")


@click.command(short_help="One document: papers beside measurements, plots, fronts, times.")
@rows_options
@click.option("--format", "formats", default=("html",), show_default=True, multiple=True,
              metavar="NAME", help="html, a page that needs nothing else; or markdown, with SVG.")
@click.option("--output", default=Path("report"), show_default=True, metavar="DIR",
              type=OutputFolder(), help="Folder, made if need be.")
def command(formats: tuple[str, ...], output: Path, **selection: Any) -> None:
    """Write a report: each paper's table with what was measured beside it, and all of it together.

    Whether a paper's claim holds, which cores no other one beats, times of RSA and of P-256, with
    which power of the width cost grows, and every point measured. In the page plots can be pointed
    at, filtered and zoomed where plotly is installed (pip install '.[report]'); it works without
    a network.

    \b
    montgomery report --from results --output report
    """
    for name in formats:
        known("report format", name, _FORMATS)
    from ..report import compose, write_html, write_markdown

    document = compose(selected_rows(**selection))
    paths = []
    if "html" in formats:
        write_html(document, output / "report.html")
        paths.append(output / "report.html")
    if "markdown" in formats:
        paths += write_markdown(document, output)
    for path in paths:
        click.echo(path)
