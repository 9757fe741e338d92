"""``montgomery table``: measurements as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..atomic import atomic_write
from ..data.collector import uncollected
from ._command import Command
from ._names import COLUMNS, TABLE_FORMAT
from ._options import names, rows_options, selected_rows
from ._outputs import OutputFile

__all__ = ["command"]


@click.command(cls=Command, short_help="Show measurements as a table.")
@rows_options
@click.option("--format", "format", default="terminal", show_default=True, metavar="NAME",
              type=TABLE_FORMAT, help="terminal, markdown, csv or latex (for booktabs).")
@click.option("--columns", metavar="NAME,...", multiple=True, type=COLUMNS,
              help="Show these quantities, such as lut,latency_us; 'montgomery list columns' "
                   "names them, with units.")
@click.option("--per-seed", is_flag=True, help="Show one row per seed, instead of medians.")
@click.option("--output", type=OutputFile(), metavar="FILE",
              help="Write the table to a file, and print the name of the file instead.")
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
    from ..data.summary import tabulate
    from ..table import render

    rendered = render(tabulate(selected_rows(**selection), columns=names(columns),
                               per_seed=per_seed), format)
    if output is None:
        click.echo(rendered, nl=False)
    else:
        with atomic_write(output) as partial:
            partial.write_text(rendered, encoding="utf-8")
        click.echo(output)
