"""``montgomery merge``: what other stores hold, taken into one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._activity import Activity, size
from ._command import Command
from ._options import json_option, print_json, store_option
from ._types import Existing

if TYPE_CHECKING:
    from ..store.merge import Merged

__all__ = ["command"]

_SCHEMA = 1


@click.command(cls=Command, short_help="Take the measurements of other stores into one store.")
@click.argument("sources", metavar="STORE...", nargs=-1, required=True, type=Existing(file=False))
@store_option
@click.option("--dry-run", is_flag=True, help="Say what would be taken, and take nothing.")
@json_option
def command(sources: tuple[Path, ...], store_path: Path | None, dry_run: bool,
            as_json: bool) -> int:
    """Take the outcomes and rows of each STORE into the store of --store.

    Several machines that cannot reach one another can share a large sweep: each sweeps a part into
    a store of its own, and the stores are merged afterwards. A sweep of what any of them measured
    then runs nothing.

    An outcome that the store holds stays there. It is replaced if it is a failure that a sweep
    would try again and the other one is not, or if large files of it were pruned that the other
    store has. Of two rows of one point and seed the later one stays, but a row whose seal is broken
    never replaces one whose seal is valid.

    Each file is checked against its hash; what is damaged is left out. An outcome is refused whose
    key is not the hash of what it says that it was made of, and so is a row that lies under another
    point and seed than its own. What was measured cannot be checked: merge only stores whose makers
    you trust. A store holds compiled simulations as well, which are run.

    A file becomes a hard link if it lies in the same file system and has the same owner and
    permissions. The merged stores are only read, and sweeps may use all of the stores meanwhile. If
    the merge is killed, the store is whole, and the same command goes on.

    \b
    montgomery merge /mnt/site_a /mnt/site_b
    montgomery merge --store all --dry-run site_a site_b

    The exit status is 1 if anything was left out.
    """
    from ..data.seal import is_sealed
    from ..store import default_path
    from ..store.merge import merge

    path = store_path or default_path()
    with Activity() as activity, activity.meter("merging the outcomes") as show:
        reports = merge(path, sources, is_key=_is_key, is_identity=_is_identity,
                        is_sound=is_sealed, dry_run=dry_run, on_progress=show)
    if as_json:
        print_json({"schema": _SCHEMA, "path": str(path), "dry_run": dry_run,
                    "stores": [_document(report) for report in reports]})
    for report in reports:
        if not as_json:
            click.echo(_line(report, dry_run))
        for line in _left_out(report):
            click.echo(f"montgomery: {line}", err=True)
    return 0 if all(report.is_complete for report in reports) else 1


def _is_key(key: str, spec: Mapping[str, Any]) -> bool:
    """Return whether a key is the hash of a specification, which names its stage."""
    from ..pipeline.stage import hash_of
    from ..pipeline.stages import stages

    stage = stages().get(str(spec.get("stage")))
    made_of = {name: value for name, value in spec.items() if name != "stage"}
    return key == (hash_of(spec) if stage is None else stage.hashed(made_of))


def _is_identity(identity: str, row: dict[str, Any]) -> bool:
    """Return whether an identity is that of a row."""
    from ..board.selftest import identity_of
    from ..data.rowcheck import checked
    from ..points.point import Point

    try:
        row = checked(row)
        if row["status"] == "on_board":
            return identity == identity_of(row)
        # Without defaults, since a row has the identity that it had when it was measured.
        point = dataclasses.replace(
            Point.from_row(row), options=tuple(row["options"].items()),
            params=tuple((row["params"] | {"width": row["width"]}).items()))
    except ValueError:
        return False
    return identity == point.identity(row["seed"])


def _document(report: Merged) -> dict[str, Any]:
    return {**dataclasses.asdict(report), "path": str(report.path),
            "damaged": [str(each) for each in report.damaged],
            "refused": [str(each) for each in report.refused]}


def _line(report: Merged, dry_run: bool) -> str:
    linked = f", {size(report.linked_bytes)} of them as hard links," if report.linked_bytes else ""
    taken = (f"{_counted(report.outcomes, 'outcome')} with {size(report.bytes)} of files{linked} "
             f"and {_counted(report.rows, 'row')}")
    there = f"{_counted(report.outcomes_there, 'outcome')} and {_counted(report.rows_there, 'row')}"
    verbs = ("would be taken", "are there") if dry_run else ("were taken", "were there")
    return f"{report.path}: {taken} {verbs[0]}; {there} {verbs[1]} already"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


def _left_out(report: Merged) -> Iterator[str]:
    """Yield a line for each reason for which something of a store was left out."""
    if report.damaged:
        count = len(report.damaged)
        yield (f"{count} damaged {'entry' if count == 1 else 'entries'} of {report.path} "
               f"{'was' if count == 1 else 'were'} left out, such as {report.damaged[0]}; "
               f"'montgomery store check --store {report.path}' lists what is damaged")
    if report.refused:
        count = len(report.refused)
        yield (f"{count} {'entry' if count == 1 else 'entries'} of {report.path} "
               f"{'was' if count == 1 else 'were'} refused, such as {report.refused[0]}; a sweep "
               "measures again what is missing")
    if report.busy:
        yield (f"{_counted(len(report.busy), 'outcome')} of {report.path} "
               f"{'was' if len(report.busy) == 1 else 'were'} left out, since another process "
               "computes the same; the same command takes what is still missing at its end")
