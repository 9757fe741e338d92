"""Options for the numbers of one operation, as cores of all kinds name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ._command import Command

__all__ = ["OperandCommand", "flag"]


class _Integer(click.ParamType):
    """An integer in decimal, or with 0x, 0o or 0b in front."""

    name = "integer"

    def convert(self, value: str | int, param: click.Parameter | None,
                ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        shown = value if len(value) <= 40 else f"{value[:40]}…"
        try:
            number = int(value, 0)
        except ValueError:
            self.fail(f"must be an integer in decimal, or in hexadecimal after 0x, not '{shown}'",
                      param, ctx)
        if number < 0:
            self.fail(f"must be 0 or more, not {shown}", param, ctx)
        return number


def flag(name: str) -> str:
    """Return the option for an operand of that name."""
    return f"--{name.replace('_', '-')}"


class OperandCommand(Command):
    """A command with an option for each number that an operation of any kind of core takes.

    The help shows those of each kind together.

    Parameters
    ----------
    operands_before : str
        Name of the parameter in front of which they stand.
    """

    def __init__(self, *args: Any, operands_before: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self._before = operands_before

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        # Not before the command is used, or its help is asked for: it takes the cores, which are
        # slow to import.
        params = super().get_params(ctx)
        place = [param.name for param in params].index(self._before)
        operands = {param.name: param for _, options in _by_kind() for param in options}
        return [*params[:place], *operands.values(), *params[place:]]

    def headings(self, ctx: click.Context) -> Iterator[tuple[str, list[click.Parameter]]]:
        operands = {param.name for _, options in _by_kind() for param in options}
        for heading, params in super().headings(ctx):
            if others := [param for param in params if param.name not in operands]:
                yield heading, others
        yield from _by_kind()


def _by_kind() -> Iterator[tuple[str, list[click.Parameter]]]:
    """Yield a heading for each kind of core, and its options."""
    from montgomery import KINDS

    for kind in (kind for kind in KINDS.values() if kind.inputs):
        yield f"One {kind.operation} ({kind.formula})", [
            click.Option([flag(name)], type=_Integer(), metavar="INTEGER", help=text)
            for name, text in kind.inputs.items()]
