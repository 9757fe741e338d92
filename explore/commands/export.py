"""``montgomery export``: a core as Verilog."""

from __future__ import annotations

from pathlib import Path

import click

from ._options import announce, json_option, one_point, print_json
from ._outputs import OutputFolder

__all__ = ["command"]

#: All of them stand in the text of the testbench.
_MOST_VECTORS = 10_000


@click.command(short_help="Write a core as Verilog, with testbench and documentation.")
@click.option("-a", "--arch", required=True, metavar="NAME", help="Core, of any kind.")
@click.option("-n", "--width", "width", required=True, metavar="BITS", help="Width.")
@click.option("-p", "--param", "params", metavar="KEY=VALUE", multiple=True, help="Parameter.")
@click.option("-t", "--target", metavar="TARGET",
              help="Use the multiplier and memory blocks of this device's family, as cells. "
                   "[default: plain Verilog for any tool]")
@click.option("-o", "--option", "options", metavar="KEY=VALUE", multiple=True,
              help="multipliers=logic, as in 'sweep'.")
@click.option("--name", metavar="NAME", help="Of the Verilog module.  [default: ARCH_BITS]")
@click.option("--vectors", default=8, show_default=True, type=click.IntRange(min=0),
              help="Random operations in the testbench, beside the edge cases.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0),
              help="Of the random operations.")
@click.option("--output", metavar="DIR", type=OutputFolder(),
              help="Folder to write to, made if need be.  [default: NAME]")
@json_option
def command(arch: str, width: str, params: tuple[str, ...], target: str | None,
            options: tuple[str, ...], name: str | None, vectors: int, seed: int,
            output: Path | None, as_json: bool) -> None:
    """Write a core as Verilog, with a testbench that checks itself, documentation and a core file.

    NAME.v is the core, NAME_tb.sv its testbench for Icarus Verilog and Verilator, NAME.md says what
    it computes, how its ports work and how many clocks it takes, and NAME.core is for FuseSoC.
    With -t the core is made of that family's own multiplier and memory blocks, as it is measured;
    cores without such blocks are the same for all devices.

    \b
    montgomery export -a mmm_mx_1d -n 256
    montgomery export -a dsp_systolic -n 1024 -p processing_elements=17 -t ecp5-85k --output rsa
    """
    from ..export import export
    from ..export.files import default_name

    if options and target is None:
        raise click.UsageError("-o is for the device; name one with -t")
    point = one_point("export", arch, width, params, target, options)
    if vectors > _MOST_VECTORS:
        raise click.UsageError(f"--vectors must be {_MOST_VECTORS:,} or less, not {vectors}; "
                               "'montgomery verify' simulates more")
    if name == "":
        raise click.UsageError("--name must be the name of a module, and not empty; leave it out "
                               "for ARCH_BITS")
    name = name or default_name(point)
    exported = export(point, output or Path(name), name=name, vectors=vectors, seed=seed,
                      generic=target is None, announce=announce)
    if as_json:
        print_json({"name": exported.name,
                    "files": {kind: str(path) for kind, path in exported.files.items()}})
        return
    for path in exported.files.values():
        click.echo(path)
