"""Types of options that name places. They refuse at once what cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..atomic import check_file, check_folder

__all__ = ["OutputFile", "OutputFolder", "StoreFolder"]


class StoreFolder(click.Path):
    """The folder of a store, which need not exist."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> Path:
        if not str(value):
            # Path("") is the current folder, which nobody who writes --store "$UNSET" means.
            self.fail("the name is empty; name a folder, or leave the option out", param, ctx)
        return super().convert(value, param, ctx)


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
