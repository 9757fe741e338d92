"""``montgomery verify``: one core against its integer model, in simulation."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from ._options import assignments, json_option, print_json, widths

if TYPE_CHECKING:
    from montgomery import Parameters

__all__ = ["command"]


class _Integer(click.ParamType):
    """An integer in decimal, or with 0x, 0o or 0b in front."""

    name = "integer"

    def convert(self, value: str | int, param: click.Parameter | None,
                ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return int(value, 0)
        except ValueError:
            shown = value if len(value) <= 40 else f"{value[:40]}…"
            self.fail(f"'{shown}' is not an integer; write it in decimal or as 0x…", param, ctx)


@click.command(short_help="Simulate one core against its integer model.")
@click.option("-a", "--arch", required=True, metavar="NAME", help="Architecture.")
@click.option("-n", "--width", "width", required=True, metavar="BITS", help="Width.")
@click.option("-p", "--param", "params", metavar="KEY=VALUE", multiple=True, help="Parameter.")
@click.option("--vectors", default=8, show_default=True, type=click.IntRange(min=1),
              help="Random multiplications, beside the edge cases.")
@click.option("--seed", default=0, show_default=True, help="Of the random multiplications.")
@click.option("--x", type=_Integer(), help="Simulate this one multiplication instead.")
@click.option("--y", type=_Integer(), help="Second operand.")
@click.option("--modulus", type=_Integer(), help="Odd modulus.")
@json_option
def command(arch: str, width: str, params: tuple[str, ...], vectors: int, seed: int,
            x: int | None, y: int | None, modulus: int | None, as_json: bool) -> int:
    """Simulate one core against its integer model, with its cycle counts.

    Edge cases and random operands run back to back and with stalls of both streams. With --x, --y
    and --modulus, only that multiplication runs, and its result is printed.

    \b
    montgomery verify -a mmm_mx_1d -n 256 --vectors 100
    montgomery verify -a mmm_mx_1d -n 64 --x 0x1234 --y 5 --modulus 0xfedcba9876543211

    Exit status 1 if the core does not do what its model says.
    """
    core = _core(arch, width, params)
    operands = (x, y, modulus)
    if operands == (None, None, None):
        from ..simulation import verify

        with _meter(f"{core.name()} {core.width} bits") as progress:
            report = verify(core, vectors=vectors, seed=seed, progress=progress)
    elif None in operands:
        raise click.UsageError("One multiplication takes all of --x, --y and --modulus")
    else:
        report = _multiply(core, *operands, seed)
    if as_json:
        print_json(report)
    elif report["ok"]:
        click.echo(_summary(report))
    if not report["ok"]:
        click.echo(f"montgomery: {core.name()} with {core.width} bits fails: {report['message']}",
                   err=True)
    return 0 if report["ok"] else 1


def _core(arch: str, width: str, params: tuple[str, ...]) -> Parameters:
    from ..points import expand
    from ..targets import targets

    # A target plays no part in simulation, but a point has one.
    points = expand([arch], widths([width]), assignments("-p", params), [next(iter(targets()))], {})
    if len(points) != 1:
        raise ValueError(f"verify takes one point, not {len(points)}; give one value each to -n "
                         "and -p")
    return points[0].parameters()


def _multiply(core: Parameters, x: int, y: int, modulus: int, seed: int) -> dict:
    """Simulate one multiplication; the numbers of the report are hexadecimal texts."""
    from ..simulation import Mismatch, simulate

    core.check_operands(x, y, modulus)
    model = core.compute(x, y, modulus)
    report = {"ok": False, "arch": core.name(), "width": core.width,
              "params": dataclasses.asdict(core), "vectors": 1, "seed": seed,
              "x": hex(x), "y": hex(y), "modulus": hex(modulus), "r": hex(core.r),
              "model": hex(model), "simulation": None, "cycles": None}
    try:
        result = simulate(core, [(x, y, modulus)], seed=seed)
    except Mismatch as mismatch:
        return report | {"message": str(mismatch)}
    product = result.products[0]
    # Nothing came before a single multiplication, so it has no interval.
    cycles = {name: count for name, count in dataclasses.asdict(result.cycles[0]).items()
              if name != "interval"}
    report |= {"ok": product == model, "simulation": hex(product), "cycles": cycles}
    if not report["ok"]:
        report["message"] = f"simulation gives {product:#x}, the model {model:#x}"
    return report


def _summary(report: dict) -> str:
    cycles = ", ".join(f"{name} {count}" for name, count in report["cycles"].items())
    lines = [f"{report['arch']} with {report['width']} bits agrees with its model"]
    if "simulation" in report:
        lines += [f"  x * y / R mod modulus, from simulation and model: {report['model']}",
                  f"  clocks: {cycles}"]
    else:
        constant = "the same for all" if report["constant_time"] else "depending on the operands"
        lines += [f"  multiplications: {report['vectors']}", f"  clocks: {cycles}; {constant}",
                  f"  simulated at {report['cycles_per_second']:,.0f} clocks a second"]
    return "\n".join(lines)


@contextlib.contextmanager
def _meter(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show how far a simulation is, where there is a terminal to show it on."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:
        def update(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield update
