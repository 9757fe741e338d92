"""Files that were written to be cores, and are none."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

import click

__all__ = ["tell_rejected"]


def tell_rejected(groups: Iterable[str] | None = None) -> None:
    """Say on stderr which files were written to be cores and are none, and why.

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
