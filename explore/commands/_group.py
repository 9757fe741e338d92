"""Groups of commands, each in a module of its own."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import click

from ..lookup import UnknownName, known, modules_of
from ._command import Command

__all__ = ["ModuleGroup"]


class ModuleGroup(click.Group):
    """A group whose commands are the modules of a package, imported when they are asked for.

    Parameters
    ----------
    package : module
        Each module in it whose name does not begin with ``_`` has a ``command``.
    """

    command_class = Command

    def __init__(self, *args: Any, package: ModuleType, **options: Any) -> None:
        super().__init__(*args, **options)
        self._package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        return modules_of(self._package)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if ctx is not None and ctx.resilient_parsing and name not in self.list_commands(ctx):
            return None
        if name == "help":
            raise UnknownName(f"Unknown command 'help'; write '{ctx.command_path} --help', or "
                              f"'{ctx.command_path} COMMAND --help'")
        known("command", name, self.list_commands(ctx))
        return importlib.import_module(f"{self._package.__name__}.{name}").command
