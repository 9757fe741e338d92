"""Files that were written to be cores, and are none."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

import click

__all__ = ["tell_rejected"]


def tell_rejected(registries: Iterable[str] | None = None) -> None:
    """Say on stderr which files were written to be cores and are none, and why.

    With ``--debug``, tracebacks show where an import fails.

    Parameters
    ----------
    registries : iterable of str or None
        Those whose files count, as :attr:`montgomery.Kind.registry` names them; all if None.
    """
    from montgomery import KINDS

    debug = getattr(click.get_current_context().find_root().command, "debug", False)
    for kind in KINDS.values():
        if registries is not None and kind.registry not in registries:
            continue
        for rejected in kind.rejected().values():
            if not rejected.looks_like_core:
                continue
            if debug and rejected.error:
                traceback.print_exception(rejected.error)
            click.echo(f"note: {rejected}", err=True)
