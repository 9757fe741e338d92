"""Names that were given and have another form now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..points.spec import SweepSpec

__all__ = ["tell_renamed", "tell_renamed_in"]


def tell_renamed(former: str, today: str) -> None:
    """Say on stderr that a name was used that the next release does not take."""
    click.echo(f"note: {former} is called {today} now; the old name goes in the next release",
               err=True)


def tell_renamed_in(spec: SweepSpec) -> None:
    """Say which cores a sweep names as they were called formerly."""
    from montgomery.kinds import today

    for name in dict.fromkeys((*spec.archs, *(arch for part in spec.parts for arch in part.archs))):
        if today(name) != name:
            tell_renamed(name, today(name))
