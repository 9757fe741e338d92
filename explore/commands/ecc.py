"""``montgomery ecc``: how long a scalar multiplication takes on what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._command import Command
from ._names import METHOD
from ._options import names, widths
from ._rows import output_options, rows_options, selected_rows, write_out

__all__ = ["command"]


@click.command(cls=Command, short_help="Show the time of a multiple of a point of a curve.")
@rows_options
@click.option("--method", default="double-and-add", show_default=True, metavar="NAME",
              type=METHOD, help="Algorithm: double-and-add, or window (of 4 bits).")
@output_options
def command(method: str, format: str, output: Path | None, **selection: Any) -> None:
    """Show how long a multiple of a point of an elliptic curve takes on each measured core.

    Cores that are built for a curve are as measured, also on a device of the same cells. 256 bits
    include the 255 of X25519 and Ed25519. The time of others is as published. For a
    multiplier it is an estimate for P-256: the number of Montgomery multiplications, in Jacobian
    coordinates, times the time of one. The number includes the conversions and the final inversion,
    and leaves out additions. The time is that of the computation alone, as papers state it; the
    operations in a second include the transfer of words, in an estimate those of each product.

    \b
    montgomery ecc --from results/rows.jsonl --method window
    """
    from ..devices import target
    from ..ecc import tabulate
    from ..table import render

    # A width or a device may have what is measured at another width or on another device.
    devices = names("-t", selection["targets"])
    for name in devices:
        target(name)
    found = tabulate(selected_rows(**{**selection, "widths_": (), "targets": ()}), method=method,
                     targets=devices, widths=widths(selection["widths_"]))
    write_out(render(found, format), output, selection["sources"])
