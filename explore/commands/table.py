"""``montgomery table``: measurements as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._command import Command
from ._names import COLUMNS
from ._options import names
from ._rows import output_options, rows_options, selected_rows, write_out

__all__ = ["command"]


@click.command(cls=Command, short_help="Show measurements as a table.")
@rows_options
@click.option("--columns", metavar="NAME,...", multiple=True, type=COLUMNS,
              help="Show these quantities, such as lut,latency_us, all of them; 'montgomery list "
                   "columns' names them, with units.")
@click.option("--per-seed", is_flag=True, help="Show one row per seed, instead of medians.")
@output_options
def command(format: str, columns: tuple[str, ...], per_seed: bool, output: Path | None,
            **selection: Any) -> None:
    """Show measurements as a table: the median over the seeds, with the smallest and the largest.

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
    varies with the seed has three columns: NAME, NAME_min and NAME_max. With --per-seed 'seed'
    stands in place of 'seeds' and 'seeds_ok', and --from can read the table again.

    \b
    montgomery table -a mmm_mx_1d -n 256
    montgomery table --format latex --columns lut,fmax_usable_mhz,latency_us --output table.tex
    montgomery table --format csv --output table.csv
    """
    from ..data.summary import written

    write_out(written(selected_rows(**selection), format, columns=names("--columns", columns),
                      per_seed=per_seed), output, selection["sources"])
