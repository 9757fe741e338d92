"""What an FPGA that points are measured on is: its family, arguments, limits and capacity."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..netlist.area import area_of

if TYPE_CHECKING:
    from montgomery.technology import Technology

__all__ = ["Family", "Limit", "Option", "Target", "own_models"]


def own_models(name: str) -> str:
    """Return a file of this project's models of cells, as Verilog."""
    return Path(__file__).with_name("models").joinpath(f"{name}.v").read_text(encoding="utf-8")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Option:
    """A tool option that shapes results, and so is part of a point.

    Each legal choice, an integer or a string, has an effect, which is what it adds somewhere: at
    ``setup`` (yosys commands before synthesis), ``synth`` (arguments of the synthesis command),
    ``place`` (arguments of nextpnr), ``constraint`` (the frequency that nextpnr is asked for) or
    ``sites`` (the type of cells that are given sites of the device before they are placed, and
    ``narrow`` if they get no more rows and columns than they need).

    One that is not ``portable`` says nothing to cores that are the same for all devices. A point
    only has a ``quiet`` one if its value is not the default.
    """

    default: int | str
    effect: Mapping[int | str, tuple[str, ...]]
    where: str
    help: str
    portable: bool = True
    quiet: bool = False

    @property
    def choices(self) -> tuple[int | str, ...]:
        return tuple(self.effect)


#: Of all families with a placer. nextpnr works towards the constraint, and may stop there.
_CONSTRAINT = Option(
    default=0, where="constraint", quiet=True,
    effect={0: (), **{mhz: (str(mhz),) for mhz in (
        25, 50, 75, 100, 125, 150, 175, 200, 225, 250, 275, 300, 350, 400, 500, 600)}},
    help="clock frequency in MHz that nextpnr is asked for, except on boards; 0 is "
         "the limit of the clock network")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Family:
    """What the devices of a family share.

    Without a ``placer``, synthesis is all, and tells the area alone; ``extra`` is the extra of this
    project that installs it. ``area`` leads from yosys's cell type to the columns it counts in:
    ``{"CCU2C": {"lut": 2}}``. A type that ends in ``*`` stands for all types that begin so; cells
    that are not listed take no area of their own. ``slice`` has the LUTs and registers of a slice,
    in families whose areas papers count in slices.

    ``inner_args`` are arguments of the synthesis command for a module whose ports are no pins,
    where the placer wants the buffers of pins in the netlist, and ``finish`` are commands that make
    what is left fit for the placer. ``suffixes`` are regular expressions of what yosys appends,
    after ``_``, to the name of a signal to name the cells around it; ``carries`` are nextpnr's
    names of the ports by which a carry chain goes on and ends in a sum; ``blocks`` is what its
    report calls those of the columns ``dsp`` and ``bram``, in families that bitstreams are built
    for.

    ``simulation`` are yosys commands that read models of the cells, to simulate a netlist, and
    ``models`` is this project's file of them, for cells that are black boxes to yosys. ``doubt`` is
    what to know before one believes the clocks of the placer. ``stand_in`` is called with the name
    of a target that there is not; it returns one with the limits of that FPGA, for boards that
    carry it.
    """

    name: str
    placer: str | None = None
    extra: str = ""
    synth: str
    place_args: tuple[str, ...] = ()
    lut_name: str
    area: Mapping[str, Mapping[str, int]]
    options: Mapping[str, Option]
    inner_args: tuple[str, ...] = ()
    finish: tuple[str, ...] = ()
    slice: tuple[int, int] | None = None
    suffixes: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()
    blocks: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    simulation: tuple[str, ...] = ()
    models: str = ""
    doubt: str = ""
    stand_in: Callable[[str], Target] | None = None

    def slices(self, area: Mapping[str, float]) -> int | None:
        """Return an estimate of the slices for an ``area`` of ``lut`` and ``ff``; None without any.

        It is the least there can be, if all slices are full of LUTs or of registers. Vendors' tools
        leave some partly empty.
        """
        if self.slice is None:
            return None
        luts, registers = self.slice
        return max(math.ceil(area["lut"] / luts), math.ceil(area["ff"] / registers))

    def count(self, cells: Mapping[str, int]) -> dict[str, int]:
        """Return the columns ``lut``, ``ff``, ``dsp`` and ``bram`` of a dictionary of cells."""
        return area_of(cells, self.area)

    def black_boxes(self) -> str:
        """Return models, as Verilog, of the cells that are black boxes to yosys."""
        return own_models(self.models) if self.models else ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limit:
    """A frequency that the data sheet allows and nextpnr does not know.

    It is of the global clock network (``clock``), always in use, or of the column of the area whose
    use makes it apply. It is ``verified`` if the figure was read in the data sheet itself.
    """

    what: str
    mhz: float
    source: str
    verified: bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class Target:
    """One device in one package and speed grade, or all devices of a family without a placer.

    ``technology`` is the name of the :class:`montgomery.technology.Technology` that says what cores
    may use of it. ``device_args`` are arguments of nextpnr that name it, and the files that these
    name have names and contents; ``synth_args`` are arguments of the synthesis command that it
    needs. ``capacity`` is what there is of each column of the area, as nextpnr counts it. ``sites``
    leads from types of cells to nextpnr's names of their sites by row, each next to the one before.
    ``fabric`` is what all devices have in common that are made of the same cells of the same speed,
    and differ in their number alone.
    """

    name: str
    summary: str
    family: Family
    technology: str
    device_args: tuple[str, ...] = ()
    synth_args: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    capacity: Mapping[str, int] | None = None
    sites: Mapping[str, tuple[tuple[str, ...], ...]] = dataclasses.field(default_factory=dict)
    fabric: str = ""

    @property
    def lut_name(self) -> str:
        return self.family.lut_name

    @property
    def options(self) -> Mapping[str, Option]:
        if self.placer is None:
            return self.family.options
        return {**self.family.options, "constraint_mhz": _CONSTRAINT}

    @property
    def placer(self) -> str | None:
        return self.family.placer

    @property
    def clock_limit_mhz(self) -> float | None:
        """Limit of the clock network; None where nothing is placed."""
        return next((limit.mhz for limit in self.limits if limit.what == "clock"), None)

    def usable_mhz(self, fmax_mhz: float, area: Mapping[str, float]) -> float:
        """Return the smallest of ``fmax_mhz`` and the limits of the blocks that ``area`` uses."""
        return min([fmax_mhz] + [limit.mhz for limit in self.limits
                                 if limit.what == "clock" or area[limit.what]])

    def copies(self, area: Mapping[str, int]) -> int | None:
        """Return how many of a core the device has room for; None if that is not known.

        This is Song et al., Equation 5, with LUTs for slices: the smallest of the numbers that each
        resource suffices for. Routing may end earlier.
        """
        if self.capacity is None:
            return None
        return min((there // area[column] for column, there in self.capacity.items()
                    if area[column]), default=None)

    def lacking(self, area: Mapping[str, float]) -> dict[str, int]:
        """Return what there is of each column of ``area`` of which it needs more than that."""
        return {column: there for column, there in (self.capacity or {}).items()
                if area.get(column, 0) > there}

    def technology_for(self, options: Mapping[str, int | str]) -> Technology:
        """Return what cores may use of the device under the options of a point."""
        from montgomery.technology import GENERIC, technologies

        if options.get("multipliers") == "logic":
            return GENERIC
        return technologies()[self.technology]

    def option_args(self, options: Mapping[str, int | str], where: str) -> list[str]:
        """Return what ``options`` (of the family's, each with a legal value) add somewhere."""
        return [word for name, option in self.options.items()
                if option.where == where and name in options
                for word in option.effect[options[name]]]

    def constraint_mhz(self, options: Mapping[str, int | str]) -> float | None:
        """Return the frequency that nextpnr is asked for; None where nothing is placed."""
        given = self.option_args(options, "constraint")
        return float(given[0]) if given else self.clock_limit_mhz

    def synth_commands(self, top: str, options: Mapping[str, int | str], *,
                       pins: bool = False) -> list[str]:
        """Return the yosys commands that map module ``top`` to the device.

        If there are ``pins``, the ports of the module are the device's.
        """
        flags = [*self.synth_args, *(() if pins else self.family.inner_args),
                 *self.option_args(options, "synth")]
        return [*self.option_args(options, "setup"),
                " ".join([self.family.synth, "-top", top, *flags]),
                *self.family.finish]

    def place_arguments(self, options: Mapping[str, int | str], seed: int) -> list[str]:
        """Return nextpnr's arguments, files aside; there are none for a device without a placer.

        The constraint is the limit of the clock network unless an option says another one.
        """
        return [*self.device_args, *self.family.place_args,
                "--freq", f"{self.constraint_mhz(options):g}", "--timing-allow-fail",
                "--seed", str(seed), *self.option_args(options, "place")]
