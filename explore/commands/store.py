"""``montgomery store``: the contents of a store, their check, and their removal."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import Refusal
from ..lookup import known
from ._catalogue import MEASURED, TARGETS
from ._command import SCHEMA, Answer, Command, answering, grouped
from ._options import names, store_option, widths
from ._progress import size
from ._types import Number

__all__ = ["command"]

_Row = Mapping[str, Any]

_KINDS = {"leftovers": "leftovers of processes that were killed",
          "unnamed": "folders of files that no outcome names",
          "outcomes": "outcomes", "files": "large files of other outcomes"}


class _Group(click.Group):
    command_class = Command
    section = "This machine"


@click.group(cls=_Group, short_help="Look at the store of measurements, check it, make it smaller.")
def command() -> None:
    """Look at the store, which is the folder of measurements, check it, or make it smaller.

    The store holds the rows that 'table', 'plot' and 'report' show. It also holds the outcome of
    each stage of each measurement, with its files, so that a later sweep need not compute it
    again.
    """


def _path(store_path: Path | None) -> Path:
    from ..store import default_path

    return store_path or default_path()


@command.command("info", short_help="Show what the store holds, and how much of it.")
@store_option
@answering
def _info(store_path: Path | None) -> Answer:
    """Show the contents of the store, and their sizes.

    The command shows the version of the store's format, its size on the disk, the number of rows,
    the number of outcomes by stage and status, and the dates of the oldest and the newest outcome.

    \b
    montgomery store info
    montgomery store info --store /srv/measurements --json
    """
    from ..store.examine import info

    found = info(_path(store_path))
    return Answer({"schema": SCHEMA, **found}, _described(found))


def _described(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines on the contents of a store."""
    outcomes = found["outcomes"]
    yield f"{found['path']}, version {found['version']}"
    yield f"database   {size(found['database_bytes'])}"
    yield f"artefacts  {size(found['artefacts_bytes'])} in {found['artefacts']} files"
    yield f"rows       {found['rows']}"
    pruned = f", {found['pruned']} without their large files" if found["pruned"] else ""
    yield f"outcomes   {sum(each['count'] for each in outcomes)}{pruned}"
    for each in outcomes:
        yield f"  {each['stage']:11}{each['status']:12}{each['count']:8}"
    if found["oldest"]:
        yield f"computed   {found['oldest']} to {found['newest']}"


@command.command("check", short_help="Find damaged files and entries of the store.")
@store_option
@answering
def _check(store_path: Path | None) -> Answer:
    """Read every file and entry of the store, and list those that have changed since.

    The check takes as long as reading every file once. Other processes may use the store meanwhile.

    A sweep that needs what is damaged makes it again. To be rid of all damage, delete the store: a
    sweep does not measure again what rows.jsonl in its folder of --output has.

    The exit status is 1 if anything is damaged.

    \b
    montgomery store check
    montgomery store check --store /srv/measurements --json
    """
    from ..store.examine import check

    path = _path(store_path)
    found = check(path)
    note = f"montgomery: nothing in {path} is damaged"
    if found:
        count = "1 thing is" if len(found) == 1 else f"{len(found)} things are"
        note = (f"montgomery: {count} damaged in {path}; a sweep makes again what it needs, and "
                f"without {path} all of it, but for the rows in its folder of --output")
    return Answer({"schema": SCHEMA, "path": str(path), "ok": not found,
                   "damaged": [dataclasses.asdict(each) for each in found]},
                  map(str, found), int(bool(found)), [note])


@command.command("prune", short_help="Remove leftovers and, if asked for, old or large outcomes.")
@store_option
@click.option("--older-than", type=Number(0), metavar="DAYS",
              help="Also remove outcomes that were computed more than DAYS days ago.")
@click.option("--failed", is_flag=True,
              help="Also remove the outcomes of stages that failed, so that the next sweep tries "
                   "them again.")
@click.option("--artefacts", is_flag=True,
              help="Also remove large files: netlists, libraries, RTLIL. The reports from which "
                   "rows are made stay.")
@grouped("Rows, to be removed as well, which must match each of these options",
         *((flags, {**settings, "multiple": True}) for flags, settings in (
             (["-a", "--arch", "archs"], {
                 "metavar": "NAME,...", "type": MEASURED,
                 "help": "Rows of these cores or kinds, even if their files are gone."}),
             (["-n", "--width", "widths_"], {"metavar": "BITS,...", "help": "Of these widths."}),
             (["-t", "--target", "targets"], {"metavar": "NAME,...", "type": TARGETS,
                                              "help": "Of these targets."}))),
         (["--yes"], {"is_flag": True, "help": "Remove rows without a question."}))
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@answering
def _prune(store_path: Path | None, older_than: float | None, failed: bool, artefacts: bool,
           archs: tuple[str, ...], widths_: tuple[str, ...], targets: tuple[str, ...], yes: bool,
           dry_run: bool) -> Answer:
    """Remove files and outcomes that are not needed, and show how much space is freed.

    Without options, the command removes leftovers of processes that were killed, and files that no
    outcome names. It leaves alone what other processes compute.

    Other options remove outcomes or their files, which a sweep computes again if it needs them.
    Rows, which tables and plots show, are only removed by -a, -n or -t, after a question; the
    outcomes of their stages stay. Files that a sweep has written stay too.

    \b
    montgomery store prune --dry-run --artefacts
    montgomery store prune --older-than 90 --failed
    montgomery store prune -a my_core -n 64 -t ecp5-85k --yes

    Exit status 1 if the question is answered with no; then nothing is removed.
    """
    from ..store.examine import prune

    path = _path(store_path)
    wanted = {"architecture": names("-a", archs), "width": list(map(str, widths(widths_))),
              "target": names("-t", targets)}
    rows, said = {}, []
    if any(wanted.values()):
        rows, said = _forget(wanted, path, yes=yes, dry_run=dry_run)
    if rows and not (rows["removed"] or dry_run):
        return Answer({"schema": SCHEMA, **rows}, said, 1)
    freed = prune(path, older_than_days=older_than, failed=failed,
                  artefacts=artefacts, dry_run=dry_run)
    counts = {kind: freed.counts[kind] for kind in _KINDS}
    return Answer(
        {"schema": SCHEMA, "bytes": freed.bytes, "busy": sorted(freed.busy), **counts, **rows},
        [*said, *(f"{count:8} {_KINDS[kind]}" for kind, count in counts.items() if count),
         f"{size(freed.bytes)} {'would be' if dry_run else 'were'} freed"],
        notes=[f"montgomery: {len(freed.busy)} keys were left, since another process uses them"]
        if freed.busy else [])


def _forget(wanted: Mapping[str, Iterable[str]], path: Path, *, yes: bool, dry_run: bool
           ) -> tuple[dict[str, Any], list[str]]:
    """Remove the rows that match all that is wanted, after a question; return what was done."""
    from ..store import Store

    with Store(path).open(create=False, writable=not dry_run) as store:
        found = _matching(store.rows(), wanted, path)
        cores = Counter(map(_name, found.values()))
        lines = [f"  {name}: {_rows(count)}" for name, count in cores.items()]
        removed = not dry_run and (yes or _confirmed(lines, _rows(len(found)), path))
        if removed:
            store.forget_rows(found)
    done = "would be removed" if dry_run else "removed" if removed else "kept"
    return ({"rows": len(found), "cores": dict(cores), "removed": removed},
            [*(lines if yes or dry_run else []), f"{_rows(len(found))} {done}"])


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
    """Return the rows that match all that is asked for, by identity."""
    found = dict(rows)
    for what, values in wanted.items():
        texts = {identity: {_name(row), *(str(row.get(each)) for each in ("arch", "kind"))}
                 if what == "architecture" else {str(row.get(what))}
                 for identity, row in rows.items()}
        every = sorted(set().union(*texts.values()))
        for value in values:
            known(f"measured {what}", value, every)
        if values:
            found = {identity: row for identity, row in found.items()
                     if not texts[identity].isdisjoint(values)}
    if not found:
        raise Refusal(f"No row in {path} matches all of these options; leave one out")
    return found
