"""``montgomery repro``: measure a row again, and compare."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import Refusal
from ..lookup import UnknownName
from ._answer import SCHEMA, Answer, answering
from ._command import Command
from ._options import jobs_option, store_option, timeout_option
from ._rows import load_rows, named_rows

if TYPE_CHECKING:
    from ..points.point import Point
    from ..store import Store

__all__ = ["command", "packages_of"]

_Row = Mapping[str, Any]
#: Columns that say of what and how a row was measured, rather than what was found.
_BEFORE = ("arch", "kind", "width", "params", "target", "options", "seed")
#: Columns that depend on the code that measures, and may differ although all figures agree.
_CODE = ("recipe", "key", "log")
_CAUSES = ("design", "arguments", "versions")
_YOWASP = " (YoWASP)"
_VERSION = re.compile(r"[0-9]+(\.([0-9]+|(post|dev)[0-9]+))*")


@click.command(cls=Command, short_help="Measure a row again, and say whether the figures agree.")
@click.argument("row", metavar="ROW")
@click.option("--its-tools", is_flag=True,
              help="Use YoWASP's yosys and nextpnr in the versions of the row, which pip installs.")
@click.option("--at", "revision", metavar="REVISION",
              help="Use the sources of this revision of the project's git.")
@click.option("--again", is_flag=True,
              help="Run everything again, in an empty store that is deleted afterwards.")
@jobs_option
@timeout_option
@store_option
@answering
def command(row: str, its_tools: bool, revision: str | None, again: bool, jobs: int | None,
            timeout: float, store_path: Path | None) -> Answer:
    """Measure a row again from what it carries, and compare all figures.

    ROW is FILE:LINE, FILE for all rows of a file, or the first digits of the seals of rows in the
    store. A row carries core, parameters, target, tool options and seed, a hash of the hardware,
    and the versions and arguments of the programs. If figures differ, what else differs is named:
    that is the cause, or part of it. Placement is repeatable: the same programs give the same
    figures on any machine.

    \b
    montgomery repro results/rows.jsonl:3 --again
    montgomery repro results/rows.jsonl:3 --its-tools
    montgomery repro results/rows.jsonl:3 --at v1.0

    Stages whose outcomes the store has do not run, unless --again is given. The exit status is 1 if
    a figure differs.
    """
    from ..store import Store

    rows = named_rows(row, lambda: load_rows(store_path, ()).to_dict("records"))
    with contextlib.ExitStack() as stack:
        path = Path(stack.enter_context(tempfile.TemporaryDirectory(
            prefix="montgomery-repro-"))) / "store" if again else store_path
        store, ran = stack.enter_context(Store(path)), True
        if its_tools or revision is not None:
            new = _elsewhere(rows, store, jobs, timeout, its_tools, revision)
        else:
            new, ran = _here(rows, store, jobs, timeout)
    found = [_compared(old, now) for old, now in zip(rows, new, strict=True)]
    same = all(each["same"] for each in found)
    notes = [] if ran else ["note: the store has all of it, so nothing was run; --again runs it"]
    return Answer({"schema": SCHEMA, "same": same, "rows": found}, _lines(found), int(not same),
                  notes)


def _here(rows: Sequence[_Row], store: Store, jobs: int | None, timeout: float
          ) -> tuple[list[_Row], bool]:
    """Measure the points and seeds of rows; return their new rows in the same order.

    The truth value says whether a tool ran for it.
    """
    from ..pipeline.events import Event
    from ..pipeline.run import Sweep, run
    from ..points.expand import check_known
    from ._progress import progress

    asked: dict[Point, list[int]] = {}
    for row in rows:
        point, seed = _placement(row)
        try:
            check_known(point)
        except UnknownName as error:
            if "origin" in row["versions"]:
                raise Refusal(f"{point.name} is not of this package; name its file in "
                              f"MONTGOMERY_CORES ({error})") from None
            raise
        asked.setdefault(point, []).append(seed)
    ran = []
    with progress() as show:
        def listen(event: Event) -> None:
            if event.kind == "finish" and event.stage in ("synth", "place") and not event.cached:
                ran.append(event.stage)
            show(event)

        points = {point: sorted(set(seeds)) for point, seeds in asked.items()}
        found = run(Sweep(points=points, timeout_minutes=timeout), store=store, jobs=jobs,
                    on_event=listen)
    new = {_placement(row): row for row in found}
    return [new[_placement(row)] for row in rows], bool(ran)


def _placement(row: _Row) -> tuple[Point, int]:
    """Return the point and the seed of a row; seeds do not differ where nothing is placed."""
    from ..devices import target
    from ..points.point import Point

    point = Point.from_row(row)
    return point, int(row["seed"]) if target(point.target).placer else 1


def _elsewhere(rows: Sequence[_Row], store: Store, jobs: int | None, timeout: float,
               its_tools: bool, revision: str | None) -> list[_Row]:
    """Measure rows with their own tools, or with the sources of a revision."""
    from ..pipeline.elsewhere import Elsewhere
    from ..points.expand import check_known
    from ..points.point import Point

    points = list(map(Point.from_row, rows))
    if revision is None:
        # An earlier revision may have cores that are gone.
        for point in points:
            check_known(point)
    new: list[_Row] = []
    for row, point in zip(rows, points, strict=True):
        place = Elsewhere.of(revision, {}, tuple(packages_of(row)) if its_tools else ())
        seeds = place.rows(point, int(row["seed"]), store=store.path, jobs=jobs,
                           timeout_minutes=timeout,
                           announce=lambda text: click.echo(f"{text} …", err=True))
        new.append(next(each for each in seeds if each["seed"] == row["seed"]))
    return new


def packages_of(row: _Row) -> list[str]:
    """Return the YoWASP packages of the programs that measured a row, with their versions.

    Raises
    ------
    ValueError
        If a program of another origin measured it, or what stands for its version is none.
    """
    from ..devices import target
    from ..tools.find import package_of

    found = []
    for program, name in (("yosys", "yosys"), ("nextpnr", target(row["target"]).placer)):
        version = (row.get("versions") or {}).get(program)
        if version is None or name is None:
            continue
        if not version.endswith(_YOWASP):
            raise Refusal(f"A row must be measured by YoWASP's {program} to be repeated with "
                          f"its own, not by {version}; install that one, and name it in a "
                          "variable such as YOSYS")
        version = version.removesuffix(_YOWASP)
        # pip takes other texts for paths, and runs what lies there.
        if not _VERSION.fullmatch(version):
            raise Refusal(f"The version of {program} in a row must be like 0.70.0.0.post1259, "
                          f"not {version!r}; correct the row, or leave it out")
        found.append(f"{package_of(name)}=={version}")
    return found


def _compared(old: _Row, new: _Row) -> dict[str, Any]:
    """Return in what two rows of one measurement differ: in figures, and in what causes them.

    Columns of which the old row has no value do not count.
    """
    from ..data.columns import known_columns
    from ..data.labels import present
    from ..points.point import Point

    figures, causes = {}, {}
    for name, column in known_columns().items():
        before, after = old.get(name), new.get(name)
        if (column.incidental or name in (*_BEFORE, *_CODE) or not present(before)
                or before in ({}, after)):
            continue
        if name in _CAUSES and isinstance(before, Mapping):
            after = after or {}
            causes |= {part if name == "versions" else f"{name} of {part}": (value, after.get(part))
                       for part, value in before.items() if value != after.get(part)}
        else:
            (causes if name in _CAUSES else figures)[name] = before, after
    return {"same": not figures, "label": f"{Point.from_row(old).label}, seed {old['seed']}",
            "figures": figures, "causes": causes}


def _lines(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for each in found:
        figures, causes = each["figures"], each["causes"]
        yield f"{each['label']}: {'the same' if each['same'] else 'not the same'}"
        for name, (before, after) in {**figures, **causes}.items():
            yield f"  {name}: {before!s:.60}, and now {after!s:.60}"
        if "design" in causes:
            yield "  The hardware is another: its sources changed; --at names an earlier revision"
        elif figures and causes:
            yield "  --its-tools repeats it with the programs of the row"
    if len(found) > 1:
        yield f"{sum(each['same'] for each in found)} of {len(found)} rows are repeated"
