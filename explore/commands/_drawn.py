"""What commands that draw plots have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import pandas

__all__ = ["of_one_kind"]


def of_one_kind(rows: pandas.DataFrame, names: Sequence[str] = ()) -> pandas.DataFrame:
    """Return the rows that plots show, which are of one kind; say on stderr what is left out.

    Parameters
    ----------
    names : sequence of str
        Plots; all of them if empty.
    """
    from montgomery import KINDS

    from ..plots import _drawing

    shown, others = _drawing.of_one_kind(rows, names)
    if others:
        kind = KINDS[shown["kind"].iloc[0]]
        click.echo(f"note: the plots show {kind.nouns}, since a plot has one kind of core; "
                   f"'montgomery plot --kind' shows others: {', '.join(others)}", err=True)
    return shown
