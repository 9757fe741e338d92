"""``montgomery store``: the contents of a store, their repair, and their removal."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._activity import size
from ._command import Command
from ._forget import command as forget
from ._options import json_option, print_json, store_option
from ._types import Number

if TYPE_CHECKING:
    from ..store.repair import Repair

__all__ = ["command"]

_SCHEMA = 1
_KINDS = {"leftovers": "leftovers of processes that were killed",
          "unnamed": "folders of files that no outcome names",
          "outcomes": "outcomes", "files": "large files of other outcomes",
          "locks": "lock files that nobody holds"}


class _Group(click.Group):
    command_class = Command


@click.group(cls=_Group, short_help="Look at the store of measurements, mend it, make it smaller.")
def command() -> None:
    """Look at the store, which is the folder of measurements, mend it, or make it smaller.

    The store holds the rows that 'table', 'plot' and 'report' show. It also holds the outcome of
    each stage of each measurement, with its files, so that a later sweep need not compute it
    again.
    """


def _path(store_path: Path | None) -> Path:
    from ..store import default_path

    return store_path or default_path()


@command.command("info", short_help="Show what the store holds, and how much of it.")
@store_option
@json_option
def _info(store_path: Path | None, as_json: bool) -> None:
    """Show the contents of the store, and their sizes.

    The command shows the version of the store's format, its size on the disk, the number of rows,
    the number of outcomes by stage and status, and the dates of the oldest and the newest outcome.

    \b
    montgomery store info
    montgomery store info --store /srv/measurements --json
    """
    from ..store.examine import info

    found = info(_path(store_path))
    if as_json:
        print_json({"schema": _SCHEMA, **found})
        return
    outcomes = found["outcomes"]
    click.echo(f"{found['path']}, version {found['version']}\n"
               f"database   {size(found['database_bytes'])}\n"
               f"artefacts  {size(found['artefacts_bytes'])} in {found['artefacts']} files\n"
               f"rows       {found['rows']}\n"
               f"outcomes   {sum(each['count'] for each in outcomes)}"
               + (f", {found['pruned']} without their large files" if found["pruned"] else ""))
    for each in outcomes:
        click.echo(f"  {each['stage']:11}{each['status']:12}{each['count']:8}")
    if found["oldest"]:
        click.echo(f"computed   {found['oldest']} to {found['newest']}")


@command.command("check", short_help="Find damaged files and entries of the store, and mend them.")
@store_option
@click.option("--repair", "mend", is_flag=True,
              help="Forget damaged outcomes, so that they are computed again when needed.")
@json_option
def _check(store_path: Path | None, mend: bool, as_json: bool) -> int:
    """Read every file and entry of the store, and list those that have changed since.

    The check takes as long as reading every file once. Other processes may use the store meanwhile.

    With --repair, the store forgets all damaged files and entries. The next sweep that needs a
    forgotten outcome computes it again; a forgotten row has to be measured again. If the database
    itself is damaged, a new database gets all entries that can be read from the old one, which
    stays beside it as store.sqlite.damaged-DATE. No other process may use the store then.

    The exit status is 1 if anything is damaged; with --repair, if anything is damaged afterwards.

    \b
    montgomery store check
    montgomery store check --repair
    """
    from ..store.examine import check
    from ..store.repair import Repair, repair

    path = _path(store_path)
    done = repair(path) if mend else Repair(found=(found := check(path)), left=found)
    if as_json:
        print_json({"schema": _SCHEMA, "path": str(path), "ok": not done.left,
                    "damaged": [dataclasses.asdict(each) for each in done.found],
                    "left": [dataclasses.asdict(each) for each in done.left],
                    "saved": done.saved, "kept": str(done.kept) if done.kept else None})
    else:
        for each in done.found:
            click.echo(each)
    click.echo(_verdict(path, done, mend), err=True)
    return 1 if done.left else 0


def _verdict(path: Path, done: Repair, mend: bool) -> str:
    if not done.found:
        return f"montgomery: nothing in {path} is damaged"
    count = f"{len(done.found)} {'thing is' if len(done.found) == 1 else 'things are'}"
    if not mend:
        return (f"montgomery: {count} damaged in {path}; the same command with --repair "
                "forgets what is damaged, so that it is computed again when it is needed")
    mended = len(done.found) - len(done.left)
    text = f"montgomery: {mended} damaged {'thing was' if mended == 1 else 'things were'} mended"
    if done.kept:
        saved = ", ".join(f"{count} {table}" for table, count in done.saved.items())
        text += f"; a new database was made with {saved}, and the damaged one is {done.kept}"
    if done.left:
        text += (f"; {len(done.left)} are left, since another process uses them: try again when it "
                 "has ended")
    return text


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
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@json_option
def _prune(store_path: Path | None, older_than: float | None, failed: bool, artefacts: bool,
           dry_run: bool, as_json: bool) -> None:
    """Remove files and outcomes that are not needed, and show how much space is freed.

    Without options, the command removes leftovers of processes that were killed, files of locks
    that nobody holds, and files that no outcome names. It leaves files alone that other processes
    use.

    The options remove outcomes or their files, which a later sweep computes again if it needs them.
    They are refused while a sweep runs. Rows, which tables and plots show, are never removed.

    \b
    montgomery store prune --dry-run --artefacts
    montgomery store prune --older-than 90 --failed
    """
    from ..store.prune import prune

    freed = prune(_path(store_path), older_than_days=older_than, failed=failed,
                  artefacts=artefacts, dry_run=dry_run)
    if as_json:
        print_json({"schema": _SCHEMA, "bytes": freed.bytes, "busy": sorted(freed.busy),
                    **{kind: freed.counts[kind] for kind in _KINDS}})
    else:
        for kind, text in _KINDS.items():
            if freed.counts[kind]:
                click.echo(f"{freed.counts[kind]:8} {text}")
        click.echo(f"{size(freed.bytes)} {'would be' if dry_run else 'were'} freed")
    if freed.busy:
        click.echo(f"montgomery: {len(freed.busy)} keys were left, since another process uses "
                   "them", err=True)


command.add_command(forget)
