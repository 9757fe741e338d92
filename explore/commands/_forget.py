"""``montgomery store forget``: rows that are no longer wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import Refusal
from ..lookup import known
from ._answer import SCHEMA, Answer, answering
from ._command import Command
from ._options import names, store_option, widths
from ._rows import filter_options

__all__ = ["command"]

_Row = Mapping[str, Any]


@click.command("forget", cls=Command, short_help="Remove rows that are no longer wanted.")
@filter_options
@click.option("--yes", is_flag=True, help="Remove the rows without a question.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@store_option
@answering
def command(archs: tuple[str, ...], widths_: tuple[str, ...], targets: tuple[str, ...],
            yes: bool, dry_run: bool, store_path: Path | None) -> Answer:
    """Remove the rows of a core from the store, after a question.

    A row must match every option that is given; the file of its core need not exist any more. The
    rows that are removed are no longer shown by 'table', 'plot', 'report' and 'recommend'. The
    outcomes of stages stay, so that a later sweep of the same points is quick; 'store prune'
    removes them. Files that a sweep has written stay too.

    \b
    montgomery store forget -a my_core
    montgomery store forget -a my_core -n 64 -t ecp5-85k --yes

    Exit status 1 if the question is answered with no.
    """
    from ..store import Store, default_path

    wanted = {"architecture": names("-a", archs), "width": list(map(str, widths(widths_))),
              "target": names("-t", targets)}
    if not any(wanted.values()):
        raise click.UsageError("Nothing says which rows to remove; give -a, -n or -t")
    path = store_path or default_path()
    with Store(path).open(create=False, writable=not dry_run) as store:
        found = _matching(store.identified_rows(), wanted, path)
        cores = Counter(map(_name, found.values()))
        lines = [f"  {name}: {_rows(count)}" for name, count in cores.items()]
        removed = not dry_run and (yes or _confirmed(lines, _rows(len(found)), path))
        if removed:
            store.forget_rows(found)
    done = "would be removed" if dry_run else "removed" if removed else "kept"
    return Answer({"schema": SCHEMA, "path": str(path), "rows": len(found),
                   "cores": dict(cores), "removed": removed},
                  [*(lines if yes or dry_run else []), f"{_rows(len(found))} {done}"],
                  0 if removed or dry_run else 1)


def _rows(count: int) -> str:
    return f"{count} row{'s' if count != 1 else ''}"


def _confirmed(lines: Iterable[str], rows: str, path: Path) -> bool:
    """Show what would be removed, and ask whether it may be."""
    for line in lines:
        click.echo(line, err=True)
    try:
        return click.confirm(f"Remove {rows} from {path}?", err=True)
    except click.Abort as abort:
        # Click hides that the input ended.
        if isinstance(abort.__context__, EOFError):
            click.echo(err=True)
            raise click.UsageError(f"Nobody answers whether {rows} may be removed; give "
                                   "--yes") from None
        raise


def _name(row: _Row) -> str:
    """Return the name of a row's core among those of all kinds, even of a kind that is gone."""
    from ..data.labels import core_name

    try:
        return core_name(row)
    except KeyError:
        return str(row.get("arch"))


def _matching(rows: Mapping[str, _Row], wanted: Mapping[str, Iterable[str]],
              path: Path) -> dict[str, _Row]:
    """Return the rows that match all that is asked for, by identity.

    Raises
    ------
    ValueError
        If there are none; the message is one line.
    """
    found = dict(rows)
    for what, values in wanted.items():
        texts = {identity: {_name(row), str(row.get("arch"))} if what == "architecture" else
                 {str(row.get(what))} for identity, row in rows.items()}
        every = sorted(set().union(*texts.values()))
        for value in values:
            known(f"measured {what}", value, every)
        if values:
            found = {identity: row for identity, row in found.items()
                     if not texts[identity].isdisjoint(values)}
    if not found:
        raise Refusal(f"No row in {path} matches all of these options; leave one out")
    return found
