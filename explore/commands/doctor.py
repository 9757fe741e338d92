"""``montgomery doctor``: what is installed, what runs, what to do."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from ._options import announce, json_option, print_json, store_option

__all__ = ["command"]


@click.command(short_help="Check the installation.")
@store_option
@json_option
def command(store_path: Path | None, as_json: bool) -> int:
    """Check Python, packages, tools and the store, and say how to get what is missing.

    Exit status 1 if something is missing that a sweep needs.
    """
    from ._doctor import examine

    findings = []
    for finding in examine(store_path, announce):
        findings.append(finding)
        if not as_json:
            mark = "ok" if finding.ok else "MISSING" if finding.needed else "absent"
            line = f"{mark:8}{finding.group:8}{finding.name:36}{finding.version or '':24}"
            click.echo(f"{line}{finding.detail}".rstrip())
            if not finding.ok:
                click.echo(f"{'':16}{finding.fix}")
    healthy = all(finding.ok or not finding.needed for finding in findings)
    if as_json:
        print_json({"ok": healthy, "findings": [dataclasses.asdict(finding)
                                                for finding in findings]})
    return 0 if healthy else 1
