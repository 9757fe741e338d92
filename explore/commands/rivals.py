"""``montgomery rivals``: cores of others, whose sources the user fetches."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ..errors import Refusal
from ._answer import SCHEMA, Answer, answering
from ._command import Command
from ._names import TARGETS
from ._options import given, jobs_option, store_option
from ._types import Integer, OutputFolder

__all__ = ["command"]


@click.command(cls=Command, short_help="List cores of others, and describe those that are here.")
@click.option("--sources", "folder", metavar="DIR", type=click.Path(path_type=Path, exists=True),
              help="A folder with the repositories of rivals. The description of each that is "
                   "there is written beside it, for --core.")
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Measure each rival that is there, and write rows, table and plots to a folder.")
@click.option("-n", "--width", default="256", show_default=True, metavar="BITS,...",
              help="Widths for --output.")
@click.option("-t", "--target", default="ecp5-85k", show_default=True, metavar="NAME,...",
              type=TARGETS, help="FPGAs for --output.")
@click.option("--seeds", default=3, show_default=True, type=Integer(1), metavar="N",
              help="Placements of each for --output.")
@jobs_option
@store_option
@answering
def command(folder: Path | None, output: Path | None, width: str, target: str, seeds: int,
            jobs: int | None, store_path: Path | None) -> Answer:
    """List cores of others, with where they come from, and under which licence.

    Nothing of theirs is in this package: fetch the sources that you want into one folder. Then
    --sources writes a description for each of them into that folder, and any command takes it by
    --core. Rows, tables and plots call such a core rival_NAME, with the sign ‡. With --output, all
    that are there are measured. Whoever has the rows needs no sources to show them:
    'montgomery table --from results --from DIR' has them beside the cores of this package.

    \b
    montgomery rivals
    montgomery rivals --sources their
    montgomery rivals --sources their --output rivals
    montgomery sweep --core their/rival_pynqz2.toml -n 64 -t ecp5-85k --seeds 3
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
    sweep = ["montgomery", "sweep", *(word for each in found for word in ("--core", str(each))),
             "-n", width, "-t", target, "--seeds", str(seeds)]
    store = store_path if given("store_path") else None
    for option, value in (("--output", output), ("-j", jobs), ("--store", store)):
        sweep += [] if value is None else [option, str(value)]
    lines += [shlex.join(sweep)] if found else []
    if output is None:
        return Answer({"schema": SCHEMA, "rivals": documents}, lines)
    if not found:
        raise click.UsageError("--output is for what --sources has; name that folder")
    for line in lines:
        click.echo(line, err=True)
    return Answer({"schema": SCHEMA, "rivals": documents}, (), _swept(sweep[2:]))


def _swept(arguments: list[str]) -> int:
    """Run a sweep as its command does."""
    from .sweep import command as sweep

    with sweep.make_context("sweep", arguments, parent=click.get_current_context()) as ctx:
        return sweep.invoke(ctx) or 0
