"""``montgomery export``: a core as Verilog."""

from __future__ import annotations

from pathlib import Path

import click

from ._catalogue import OPTIONS, TARGET
from ._command import Answer, Command, answering
from ._options import core_options, one_point
from ._progress import announce, meter
from ._types import Integer, OutputFolder

__all__ = ["command"]


@click.command(cls=Command, section="Cores",
               short_help="Write a core as Verilog, with testbench and documentation.")
@core_options
@click.option("-t", "--target", metavar="NAME", type=TARGET,
              help="Instantiate the multiplier and memory blocks of this target's family, such as "
                   "ecp5-85k. 'montgomery list targets' names the targets.  [default: plain "
                   "Verilog for any tool]")
@click.option("-o", "--option", "options", metavar="KEY=VALUE", multiple=True, type=OPTIONS,
              help="A tool option of the target that changes the core: multipliers=logic makes "
                   "multipliers of logic.")
@click.option("--clear", is_flag=True,
              help="Give the core an input that wipes all that it was sent, such as keys, and an "
                   "output that says that it is being wiped.")
@click.option("--name", metavar="NAME",
              help="Name of the Verilog module and of the files.  [default: ARCH_BITS]")
@click.option("--vectors", default=8, show_default=True, type=Integer(0, 10_000), metavar="N",
              help="Number of random operations in the testbench, in addition to edge cases.")
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Folder for the files, made if need be.  [default: NAME]")
@answering
def command(arch: str, width: str, params: tuple[str, ...], target: str | None,
            options: tuple[str, ...], clear: bool, name: str | None, vectors: int,
            output: Path | None) -> Answer:
    """Write a core as Verilog, with a self-checking testbench, documentation and a FuseSoC file.

    NAME.v is the core. NAME_tb.sv is its testbench for Icarus Verilog and Verilator. NAME.md says
    what the core computes, how its ports work and how many clocks it takes. NAME.core describes
    the files to FuseSoC. With -t the Verilog instantiates the multiplier and memory blocks of that
    family, as a sweep measures it; a core without such blocks is the same for all targets.

    \b
    montgomery export -a mmm_mx_1d -n 256
    montgomery export -a dsp_systolic -n 1024 -p processing_elements=17 -t ecp5-85k --output rsa
    """
    from ..devices import target as device
    from ..export import export
    from ..export.files import default_name
    from ..points.possible import shortage

    if options and target is None:
        raise click.UsageError("-o is for the device; name one with -t")
    point = one_point("export", arch, width, params, target, options)
    name = name or default_name(point)
    if target and (lack := shortage(point.parameters(), device(target), dict(point.options))):
        click.echo(f"note: {point.name} of {point.width} bits {lack}", err=True)
    exported = export(point, output or Path(name), name=name, vectors=vectors,
                      generic=target is None, clear=clear, announce=announce, during=meter)
    files = {kind: str(path) for kind, path in exported.files.items()}
    return Answer({"name": exported.name, "files": files}, files.values())
