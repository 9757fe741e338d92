"""``montgomery doctor``: what is installed, what runs, what to do."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._activity import Activity
from ._answer import json_option, print_json
from ._command import Command
from ._options import store_option

if TYPE_CHECKING:
    from ._doctor import Finding

__all__ = ["command"]


@click.command(cls=Command, short_help="Check the installation.")
@store_option
@json_option
def command(store_path: Path | None, as_json: bool) -> int:
    """Check Python, packages, tools and the store, and say how to get what is missing.

    The exit status is 1 if something is missing that a sweep needs.

    \b
    montgomery doctor
    """
    from ._doctor import examine

    findings = []
    with Activity() as activity:
        for finding in examine(store_path, activity.announce):
            findings.append(finding)
            if not as_json:
                _show(finding)
    healthy = all(finding.ok or not finding.needed for finding in findings)
    if as_json:
        print_json({"ok": healthy, "findings": [dataclasses.asdict(finding)
                                                for finding in findings]})
    return 0 if healthy else 1


def _show(finding: Finding) -> None:
    mark = "ok" if finding.ok else "MISSING" if finding.needed else "absent"
    line = f"{mark:8}{finding.group:8}{finding.name:36}{finding.version or '':24}"
    click.echo(f"{line}{finding.detail}".rstrip())
    if not finding.ok:
        click.echo(f"{'':16}{finding.fix}")
