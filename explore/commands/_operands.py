"""Options for the numbers of one operation, as cores of all kinds name them."""

from __future__ import annotations

from typing import Any

import click

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
            self.fail(f"'{shown}' is not an integer; write it in decimal or as 0x…", param, ctx)
        if number < 0:
            self.fail(f"{shown} is negative; give 0 or more", param, ctx)
        return number


def flag(name: str) -> str:
    """Return the option for an operand of that name."""
    return f"--{name.replace('_', '-')}"


class OperandCommand(click.Command):
    """A command with an option for each number that an operation of any kind of core takes.

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
        return [*params[:place], *_operand_options(), *params[place:]]


def _operand_options() -> list[click.Option]:
    from montgomery import KINDS

    texts: dict[str, str] = {}
    for kind in KINDS.values():
        for name, text in kind.base.input_help.items():
            # One of several kinds stands behind all that they have.
            texts.pop(name, None)
            texts[name] = text
    return [click.Option([flag(name)], type=_Integer(), help=text) for name, text in texts.items()]
