"""``montgomery bundle``: measurements with all that is needed to repeat them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._activity import Activity
from ._command import Command
from ._options import json_option, print_json, rows_options, selected_rows
from ._outputs import OutputFolder

__all__ = ["command"]

_SCHEMA = 1


@click.command(cls=Command, short_help="Write measurements with all that repeats them.")
@click.argument("folder", metavar="DIR", type=OutputFolder())
@rows_options
@json_option
def command(folder: Path, as_json: bool, **selection: Any) -> None:
    """Write a folder with which a reader can repeat measurements.

    DIR, which must be empty or new, gets the chosen rows, the sources of this project, the names
    and hashes of the wheels of all other packages, a script that measures the rows again, and the
    hashes of all files. pip looks up the wheels, which needs its index.

    \b
    montgomery bundle paper_table_2 --from results -a mmm_mx_1d
    tar -czf paper_table_2.tar.gz paper_table_2
    """
    from ..data.frame import originals
    from ..pipeline.bundle import write_bundle
    from ..points.expand import check_known
    from ..points.point import Point
    from ..store import default_path

    if folder.exists() and any(folder.iterdir()):
        raise click.UsageError(f"DIR must be an empty folder or a new one, but {folder} holds "
                               "files; name another one")
    chosen = selected_rows(**selection)
    places = selection["sources"] or [selection["store_path"] or default_path()]
    rows = originals(places, set(chosen["seal"].dropna()))
    if not rows:
        raise click.UsageError("There are no rows to bundle; 'montgomery sweep' measures some")
    for row in rows:
        check_known(Point.from_row(row))
    with Activity() as activity:
        activity.announce("looking up the packages")
        wheels = write_bundle(rows, folder)
    if as_json:
        print_json({"schema": _SCHEMA, "path": str(folder), "rows": len(rows),
                    "wheels": wheels})
    else:
        click.echo(f"{folder}: {len(rows)} rows, {len(wheels)} packages; {folder / 'repeat.sh'} "
                   "measures them again")
