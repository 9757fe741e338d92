"""``montgomery board``: a core on a development board; a module is a command."""

from __future__ import annotations

import sys

import click

from .._command import ModuleGroup

__all__ = ["command"]


@click.group(cls=ModuleGroup, package=sys.modules[__name__], section="Cores",
             short_help="Put a core on a development board, and use it there.")
def command() -> None:
    """Put a core on a development board, or simulate one, and use the core there.

    \b
    montgomery board build icebreaker -a mmm_mx_1d -n 64
    montgomery board program mmm_mx_1d_64_icebreaker
    montgomery board run self-test --port /dev/ttyUSB0 --vectors 100
    """
