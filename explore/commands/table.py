"""``montgomery table``: measurements as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..atomic import atomic_write
from ..data.collector import uncollected
from ..lookup import known
from ._options import names, rows_options, selected_rows
from ._outputs import OutputFile, check_apart

__all__ = ["command"]


@click.command(short_help="Show measurements as a table.")
@rows_options
@click.option("--format", "format", default="terminal", show_default=True, metavar="NAME",
              help="terminal, markdown, csv or latex (for booktabs).")
@click.option("--columns", metavar="NAME,...", multiple=True,
              help="Quantities to show; 'montgomery list columns' names them.")
@click.option("--per-seed", is_flag=True, help="One row a seed in place of medians.")
@click.option("--output", type=OutputFile(), metavar="FILE",
              help="Write to a file.")
@uncollected()
def command(format: str, columns: tuple[str, ...], per_seed: bool, output: Path | None,
            **selection: Any) -> None:
    """Show measurements as a table: the median over the seeds, with the smallest and the largest.

    Parameters and tool options that differ have a column each; those that all rows share stand in
    the caption. A failed point keeps its place, with its status.

    \b
    montgomery table -a mmm_mx_1d -n 256
    montgomery table --format latex --columns lut,fmax_usable_mhz,latency_us --output table.tex
    """
    from ..table import FORMATS, render

    check_apart(output, selection["source"])
    known("table format", format, FORMATS)
    from ..data.summary import tabulate

    rendered = render(tabulate(selected_rows(**selection), columns=names(columns),
                               per_seed=per_seed), format)
    if output is None:
        click.echo(rendered, nl=False)
    else:
        with atomic_write(output) as partial:
            partial.write_text(rendered, encoding="utf-8")
        click.echo(output, err=True)
