"""What a sweep leaves when it has ended: table, files, plots, and the exit status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from ..atomic import atomic_write
from ._activity import Activity

__all__ = ["exit_status", "report"]


def report(rows: Sequence[dict[str, Any]], folder: Path, memory: Path, *,
           to_stderr: bool) -> None:
    """Print the table; write it, the rows and the plots to ``folder``; print where they are.

    ``memory`` is a folder with notes of what was drawn.
    """
    from ..data.frame import save, tidy
    from ..data.summary import written
    from ..plots._drawing import plots_of, write
    from ..plots._kept import drawn

    measured = tidy(rows)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "rows.jsonl", folder / "table.md", folder / "table.csv"]
    with atomic_write(paths[0]) as partial:
        save(rows, partial)
    for path, format in zip(paths[1:], ("markdown", "csv"), strict=True):
        with atomic_write(path) as partial:
            partial.write_text(written(measured, format), encoding="utf-8")
    click.echo(written(measured, "terminal"), err=to_stderr)
    for line in _failures(rows):
        click.echo(line, err=True)
    with Activity() as activity, activity.during("drawing the plots"):
        paths += drawn(rows, folder, memory, lambda: write(plots_of(measured), measured, folder))
    for path in paths:
        click.echo(path, err=to_stderr)


def _failures(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each way in which a point failed that its status alone does not explain."""
    seen = set()
    for row in rows:
        where = (row["arch"], row["width"], row["target"], row["status"])
        if row["status"] not in ("ok", "no_fit", "partial") and row["log"] and where not in seen:
            seen.add(where)
            last = row["log"].strip().splitlines()[-1]
            yield (f"montgomery: {row['arch']}/{row['width']} on {row['target']}: "
                   f"{row['status']}: {last}")


def exit_status(rows: Sequence[dict[str, Any]]) -> int:
    """Return 1 if a core failed verification, or no point of those to be placed was measured.

    Or, of those that are not placed anywhere, none.
    """
    from ..devices import target
    from ..outcome import Status

    measured: dict[bool, bool] = {}
    for row in rows:
        placed = target(row["target"]).placer is not None
        measured[placed] = measured.get(placed, False) or Status(row["status"]).is_success
    wrong = any(row["status"] == Status.UNVERIFIED for row in rows)
    return 0 if all(measured.values()) and not wrong else 1
