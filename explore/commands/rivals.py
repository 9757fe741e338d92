"""``montgomery rivals``: cores of others, whose sources the user fetches."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ..errors import Refusal
from ._answer import SCHEMA, Answer, answering
from ._command import Command

__all__ = ["command"]


@click.command(cls=Command, short_help="List cores of others, and describe those that are here.")
@click.option("--sources", "folder", metavar="DIR", type=click.Path(path_type=Path, exists=True),
              help="A folder with the repositories of rivals. The description of each that is "
                   "there is written beside it, for -a.")
@answering
def command(folder: Path | None) -> Answer:
    """List cores of others, with where they come from, and under which licence.

    Nothing of theirs is in this package: fetch the sources that you want into one folder. Then
    --sources writes a description for each of them into that folder, and any command takes it by
    -a; the last line is a sweep of all of them. Rows, tables and plots call such a core
    rival_NAME, with the sign ‡. Whoever has the rows needs no sources to show them:
    'montgomery table --from program --from DIR' has them beside the cores of this package.

    \b
    montgomery rivals
    montgomery rivals --sources their
    montgomery sweep -a their/rival_pynqz2.toml -n 64 -t ecp5-85k --seeds 3
    """
    from ..points.rivals import place, rivals

    documents: list[dict[str, str | None]] = []
    lines: list[str] = []
    found: list[Path] = []
    for rival in rivals():
        placed = place(rival, folder) if folder else None
        found += [placed] if placed else []
        documents.append({
            "name": rival.name, "summary": rival.summary, "repository": rival.repository,
            "commit": rival.commit, "licence": rival.licence, "note": rival.note,
            "description": str(placed) if placed else None})
        lines += [f"{rival.name}: {rival.summary}",
                  f"  {rival.repository}, commit {rival.commit[:7]}; licence: {rival.licence}",
                  *([f"  {rival.note}"] if rival.note else []),
                  f"  {placed}" if placed else f"  {rival.fetch}"]
    if folder and not found:
        folders = " or ".join(sorted({each.folder for each in rivals()}))
        raise Refusal(f"{folder} has no folder {folders}; fetch one as 'montgomery rivals' says")
    sweep = ["montgomery", "sweep", "-a", ",".join(map(str, found)), "-n", "256", "-t",
             "ecp5-85k", "--output", "rivals"]
    return Answer({"schema": SCHEMA, "rivals": documents},
                  [*lines, *([shlex.join(sweep)] if found else [])])
