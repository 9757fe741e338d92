"""Types of options that name places. They refuse at once what cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..atomic import check_file, check_folder

__all__ = ["OutputFile", "OutputFolder", "check_apart"]

#: Files of measurements. No command that takes a name of a file makes one.
_MEASUREMENTS = ("rows.jsonl", "store.sqlite")


def check_apart(output: Path | None, *inputs: Path) -> None:
    """Refuse an output that would replace what is read, or other measurements."""
    if output is None or not output.exists():
        return
    read = any(each.exists() and output.samefile(each) for each in inputs)
    if read or output.name in _MEASUREMENTS:
        raise click.UsageError(f"--output would replace the measurements in {output}; name another "
                               "file")


class _Output(click.Path):
    """A path that is checked before the command does any work."""

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Path:
        if not str(value):
            self.fail("the name is empty; name a place to write to", param, ctx)
        path = Path(super().convert(value, param, ctx))
        self.check(path)
        return path

    def check(self, path: Path) -> None:
        raise NotImplementedError


class OutputFile(_Output):
    """A file that is new, or a regular file that is replaced when all went well."""

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Path:
        if str(value) == "-":
            self.fail("'-' is no file; leave the option out, or write ./- for a file of that name",
                      param, ctx)
        return super().convert(value, param, ctx)

    def check(self, path: Path) -> None:
        check_file(path)


class OutputFolder(_Output):
    """A folder, which is made if there is none."""

    def check(self, path: Path) -> None:
        check_folder(path)
