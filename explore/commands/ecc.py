"""``montgomery ecc``: how long a scalar multiplication takes on what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._command import Command
from ._names import METHOD
from ._rows import output_options, rows_options, selected_rows, write_out

__all__ = ["command"]


@click.command(cls=Command, short_help="Show the time of a multiple of a point of a curve.")
@rows_options
@click.option("--method", default="double-and-add", show_default=True, metavar="NAME",
              type=METHOD, help="Algorithm: double-and-add, or window (of 4 bits).")
@output_options
def command(method: str, format: str, output: Path | None, **selection: Any) -> None:
    """Show how long a scalar multiplication on an elliptic curve takes on each measured core.

    Cores for scalar multiplication are as measured. The time of others is as published. For a
    multiplier it is an estimate for P-256: the number of Montgomery multiplications, in Jacobian
    coordinates, times the time of one. The number includes the conversions and the final inversion,
    and leaves out additions. The time is that of the computation alone, as papers state it; the
    operations in a second include the transfer of words, in an estimate those of each product.

    \b
    montgomery ecc --from results/rows.jsonl --method window
    """
    from ..ecc import tabulate
    from ..table import render

    write_out(render(tabulate(selected_rows(**selection), method=method), format), output,
              selection["sources"])
