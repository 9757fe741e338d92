"""``montgomery ecc``: how long a scalar multiplication takes on what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..atomic import atomic_write
from ._command import Command
from ._names import METHOD, TABLE_FORMAT
from ._options import rows_options, selected_rows
from ._outputs import OutputFile, check_apart

__all__ = ["command"]


@click.command(cls=Command, short_help="Show the time of a scalar multiplication on P-256.")
@rows_options
@click.option("--method", default="double-and-add", show_default=True, metavar="NAME",
              type=METHOD, help="Algorithm: double-and-add, or window (of 4 bits).")
@click.option("--format", "format", default="terminal", show_default=True, metavar="NAME",
              type=TABLE_FORMAT, help="terminal, markdown, csv or latex (for booktabs).")
@click.option("--output", type=OutputFile(), metavar="FILE",
              help="Write the table to a file, and print the name of the file instead.")
def command(method: str, format: str, output: Path | None, **selection: Any) -> None:
    """Show how long a scalar multiplication on the curve P-256 takes on each measured multiplier.

    The time is the number of Montgomery multiplications, in Jacobian coordinates, times the time of
    one. The number includes the conversions and the final inversion, and leaves out
    additions. Each multiplier of 256 bits or more has two times: one for its computation alone, as
    papers state it, and one that includes the transfer of the words of each product.

    \b
    montgomery ecc --from results/multi_step/rows.jsonl --method window
    """
    from ..ecc import tabulate
    from ..table import render

    check_apart(output, *selection["sources"])
    rendered = render(tabulate(selected_rows(**selection), method=method), format)
    if output is None:
        click.echo(rendered, nl=False)
    else:
        with atomic_write(output) as partial:
            partial.write_text(rendered, encoding="utf-8")
        click.echo(output)
