"""Files that were written to be cores, and are none, or lack what describes a core."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["tell_rejected", "tell_undescribed"]


def tell_rejected(groups: Iterable[str] | None = None) -> None:
    """Say on stderr which files were written to be cores and are none, and why.

    It is also said which cores lack a docstring.

    With ``--debug``, tracebacks show where an import fails.

    Parameters
    ----------
    groups : iterable of str or None
        What is listed. Nothing is said if no kind of core is among it; None stands for all kinds.
    """
    from montgomery import KINDS
    from montgomery.registry import rejected

    if groups is not None and not {kind.group for kind in KINDS.values()}.intersection(groups):
        return
    debug = getattr(click.get_current_context().find_root().command, "debug", False)
    for each in rejected():
        if not each.looks_like_core:
            continue
        if debug and each.error:
            traceback.print_exception(each.error)
        click.echo(f"note: {each}", err=True)
    tell_undescribed(core for kind in KINDS.values() for core in kind.cores().values())


def tell_undescribed(cores: Iterable[type[CoreParameters]]) -> None:
    """Say on stderr which components of cores have no docstring."""
    from amaranth.lib import wiring

    for core in cores:
        for name, cls in inspect.getmembers(sys.modules[core.__module__], inspect.isclass):
            if (issubclass(cls, wiring.Component) and cls.__module__ == core.__module__
                    and not cls.__doc__):
                click.echo(f"note: {core.__module__.replace('.', '/')}.py: class {name} has no "
                           "docstring; say in one what it does, its members, its latency and its "
                           "throughput, for 'montgomery export' and the tests", err=True)
