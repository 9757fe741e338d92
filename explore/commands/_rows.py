"""Measured rows that a command line names: where they come from, and which of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from montgomery import KINDS
from montgomery.numbers.catalogue import called

from ..data.frame import POINT, Loaded, frame_of, notes, of_earlier, rows_beside, rows_of
from ..data.labels import core_name, curve_name
from ..data.rows import DATASET, read, rows_path
from ..devices import targets, unknown_measured
from ..errors import Refusal
from ..lookup import UnknownName, known, unknown
from ..plots import _drawing
from ..store import default_path
from ._options import assignments, names, widths

if TYPE_CHECKING:
    import pandas

__all__ = ["has_params", "loaded", "named_rows", "of_one_kind", "plain_rows", "selected_rows",
           "tell_notes"]

_LEAST = 6


def plain_rows(sources: Sequence[Path], current: bool = False) -> list[dict[str, Any]]:
    """Return all rows of what ``--from`` names, and say what :func:`tell_notes` does."""
    rows, said = loaded(sources, current)
    for note in [*said, *of_earlier(row["earlier"] for row in rows)]:
        click.echo(f"note: {note}", err=True)
    return rows


def loaded(sources: Sequence[Path], current: bool = False) -> Loaded:
    """Return the rows that are named; where none are, those of the store and of the program."""
    for source in sources:
        if not (source.is_file() or source.is_dir()):
            raise click.UsageError(f"--from must name a file or a folder, and {source} is a device "
                                   "or pipe; save what it says to a file first")
    own = default_path()
    rows, said = (rows_of(*(sources or [own])) if sources or not DATASET.exists() else
                  rows_beside(own, DATASET))
    return [row for row in rows if not (current and row["earlier"])], said


def tell_notes(rows: pandas.DataFrame) -> None:
    """Say on stderr how many rows of which file are not as this program wrote them."""
    for note in notes(rows):
        click.echo(f"note: {note}", err=True)


class _Points(frozenset):
    """Points, which are not copied with each operation on a frame that has them as attributes."""

    def __deepcopy__(self, memo: object) -> _Points:
        return self


def selected_rows(sources: tuple[Path, ...], archs: tuple[str, ...], widths_: tuple[str, ...],
                  targets: tuple[str, ...], params: tuple[str, ...] = (), current: bool = False
                  ) -> pandas.DataFrame:
    """Return the frame of what the options choose, and say what :func:`tell_notes` does."""
    rows, said = loaded(sources, current)
    chosen = has_params(_chosen(rows, {"architecture": names("-a", archs), "width": widths(widths_),
                                       "target": names("-t", targets)}), params)
    table = frame_of(chosen, said)
    every, here = ({tuple(row[name] for name in POINT) for row in some} for some in (rows, chosen))
    table.attrs["left_out"] = _Points(every - here)
    tell_notes(table)
    return table


def _chosen(rows: list[dict[str, Any]], wanted: Mapping[str, Sequence[Any]]
            ) -> list[dict[str, Any]]:
    """Return the rows that have one of the values that are wanted, of each thing."""
    chosen = rows
    for what, values in wanted.items():
        measured = {value for row in rows for value in _answers(row, what)} if values else ()
        for value in values:
            if value not in measured:
                _refuse_unmeasured(what, str(value), list(map(str, sorted(measured))))
        if values:
            chosen = [row for row in chosen if not {*_answers(row, what)}.isdisjoint(values)]
    return chosen


def _answers(row: Mapping[str, Any], what: str) -> tuple[Any, ...]:
    """Return the names or the number by which a row may be asked for."""
    return (row["arch"], core_name(row), row["kind"]) if what == "architecture" else (row[what],)


def has_params(rows: Sequence[dict[str, Any]], params: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the rows whose parameters have one of the values of ``-p`` each, under any alias."""
    rows = list(rows)
    for name, values in assignments("-p", params).items():
        if not rows:
            break
        known("measured parameter", name, sorted({each for row in rows for each in row["params"]}))
        own = [curve_name(row) if name == "curve" else str(row["params"].get(name, ""))
               for row in rows]
        if name == "curve":
            values = list(map(called, values))
        for value in values:
            known(f"measured value of {name}", value, sorted({*own} - {""}))
        rows = [row for row, each in zip(rows, own, strict=True) if each in values]
    return rows


def _refuse_unmeasured(what: str, value: str, measured: list[str]) -> None:
    """Say that nothing was measured of what may well exist, and how to measure it."""
    there = {"width": [value], "target": targets(), "architecture": [
        *KINDS, *(each for kind in KINDS.values() for name in kind.cores()
                  for each in (name, kind.full_name(name)))]}
    if value in there.get(what, ()):
        option = {"width": "-n", "target": "-t", "architecture": "-a"}[what]
        raise Refusal(f"Nothing was measured of {what} {value}, only of {', '.join(measured)}; "
                      f"'montgomery sweep {option} {value}' measures it")
    if what == "target":
        raise unknown_measured(value, measured)
    raise unknown(f"measured {what}", value, measured)


def named_rows(name: str, rows: Callable[[], Iterable[Mapping[str, Any]]]
               ) -> Sequence[Mapping[str, Any]]:
    """Return the rows that a name stands for: ``FILE:LINE`` for a row of a file of rows, ``FILE``
    for all of them, or six or more digits with which the seals of some of ``rows`` begin.

    ``program`` is such a file too.
    """
    match = re.fullmatch(r"(.+):(\d+)", name)
    path = rows_path(match[1] if match else name)
    if path.is_file():
        found = read(path)
        if not match:
            return found
        if not 1 <= int(match[2]) <= len(found):
            raise UnknownName(f"{path} has rows 1 to {len(found)}, not {match[2]}; name one of "
                              "them")
        return [found[int(match[2]) - 1]]
    if len(name) >= _LEAST and re.fullmatch("[0-9a-f]+", name):
        sealed = [row for row in rows() if str(row.get("seal") or "").startswith(name)]
        if sealed:
            return sealed
    raise UnknownName(f"'{name}' is no row; name one as FILE:LINE, or by {_LEAST} or more digits "
                      "of its seal, which 'sweep --json' shows")


def of_one_kind(rows: pandas.DataFrame, names: Sequence[str] = ()) -> pandas.DataFrame:
    """Return the rows of one kind that some plots show; what is left out is said on stderr."""
    shown, others = _drawing.of_one_kind(rows, names)
    if others:
        kind = KINDS[shown["kind"].iloc[0]]
        click.echo(f"note: the plots show {kind.nouns}, since a plot has one kind of core; "
                   f"'montgomery plot -a KIND' shows others: {', '.join(others)}", err=True)
    return shown
