"""``montgomery ecc``: how long a scalar multiplication takes on what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..atomic import atomic_write
from ..lookup import known
from ._options import rows_options, selected_rows
from ._outputs import OutputFile, check_apart

__all__ = ["command"]


@click.command(short_help="Time of a scalar multiplication on P-256.")
@rows_options
@click.option("--method", default="double-and-add", show_default=True, metavar="NAME",
              help="double-and-add, or window (of 4 bits).")
@click.option("--format", "format", default="terminal", show_default=True, metavar="NAME",
              help="terminal, markdown, csv or latex (for booktabs).")
@click.option("--output", type=OutputFile(), metavar="FILE",
              help="Write to a file.")
def command(method: str, format: str, output: Path | None, **selection: Any) -> None:
    """Show how long k times a point of the curve P-256 takes on each multiplier measured.

    A model in Jacobian coordinates counts the multiplications, conversions and the inversion at
    the end included; additions are free. Multipliers of 256 bits or more are shown, twice: for
    their computing alone, which is what papers state, and with the words of each product going in
    and out before the next one begins.

    \b
    montgomery ecc --from results/multi_step/rows.jsonl --method window
    """
    from ..ecc.times import tabulate
    from ..table import FORMATS, render

    check_apart(output, selection["source"])
    known("table format", format, FORMATS)
    rendered = render(tabulate(selected_rows(**selection), method=method), format)
    if output is None:
        click.echo(rendered, nl=False)
    else:
        with atomic_write(output) as partial:
            partial.write_text(rendered, encoding="utf-8")
        click.echo(output, err=True)
