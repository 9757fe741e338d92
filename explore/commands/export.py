"""``montgomery export``: a core as Verilog."""

from __future__ import annotations

from pathlib import Path

import click

from ..devices import target as device
from ..export.files import default_name
from ..export.files import export as write_files
from ..points.possible import shortage
from ._answer import Answer
from ._options import one_point
from ._progress import announce, meter

__all__ = ["export"]


def export(arch: str, width: str, params: tuple[str, ...], target: str | None,
           options: tuple[str, ...], bus: str | None, own_clock: bool, clear: bool,
           name: str | None, vectors: int, output: Path | None) -> Answer:
    """Write a core as Verilog, with a self-checking testbench, documentation and a FuseSoC file."""
    if options and target is None:
        raise click.UsageError("-o is for the device; name one with -t")
    if own_clock and bus in (None, "axis"):
        raise click.UsageError("--own-clock is for cores behind registers; name a bus with --bus")
    point = one_point("export", arch, width, params, target, options)
    name = name or default_name(point)
    if target and (lack := shortage(point.parameters(), device(target), dict(point.options))):
        click.echo(f"note: {point.name} of {point.width} bits {lack}", err=True)
    exported = write_files(point, output or Path(name), name=name, vectors=vectors,
                           generic=target is None, clear=clear, bus=bus or "",
                           own_clock=own_clock, announce=announce, during=meter)
    files = {kind: str(path) for kind, path in exported.files.items()}
    return Answer({"name": exported.name, "files": files, "measured": exported.measured},
                  files.values(), notes=(f"measured on {line}" for line in exported.measured
                                         if bus not in (None, "axis")))
