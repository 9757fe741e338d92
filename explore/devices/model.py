"""What an FPGA that points are measured on is: its family, arguments, limits and capacity."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from montgomery.technology import Technology

    from .families import Family, Option

__all__ = ["Limit", "Target"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limit:
    """A frequency that the data sheet allows and nextpnr does not know.

    Attributes
    ----------
    what : str
        ``clock`` (global clock network, always in use), or the column of the area whose use
        makes the limit apply: ``dsp``, ``bram``.
    verified : bool
        Whether the figure was read in the data sheet itself.
    """

    what: str
    mhz: float
    source: str
    verified: bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class Target:
    """One device in one package and speed grade, or all devices of a family without a placer.

    Attributes
    ----------
    device_args : tuple of str
        Arguments of nextpnr that name the device.
    synth_args : tuple of str
        Arguments of the synthesis command that the device needs.
    technology : str
        Name of the montgomery.technology.Technology that says what cores may use of the device.
    files : dict from str to str
        Names and contents of the files that ``device_args`` name.
    capacity : dict from str to int, or None
        What there is of each column of the area, as nextpnr counts it; None for a whole family.
    sites : dict from str to tuple of str
        From types of cells to nextpnr's names of their sites, each next to the one before.
    """

    name: str
    summary: str
    architecture: Family
    technology: str
    device_args: tuple[str, ...] = ()
    synth_args: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    capacity: Mapping[str, int] | None = None
    sites: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    @property
    def family(self) -> str:
        return self.architecture.name

    @property
    def lut_name(self) -> str:
        return self.architecture.lut_name

    @property
    def options(self) -> Mapping[str, Option]:
        return self.architecture.options

    @property
    def placer(self) -> str | None:
        return self.architecture.placer

    @property
    def clock_limit_mhz(self) -> float | None:
        """Limit of the clock network; None where nothing is placed."""
        return next((limit.mhz for limit in self.limits if limit.what == "clock"), None)

    def usable_mhz(self, fmax_mhz: float, area: Mapping[str, int]) -> float:
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

    def sites_for(self, options: Mapping[str, int | str]) -> dict[str, list[str]]:
        """Return what of ``sites`` is to be given to cells under the options of a point."""
        return {cell: list(self.sites[cell]) for cell in self.option_args(options, "sites")}

    def synth_commands(self, top: str, options: Mapping[str, int | str], *,
                       pins: bool = False) -> list[str]:
        """Return the yosys commands that map module ``top`` to the device.

        Parameters
        ----------
        pins : bool
            The ports of the module are the device's pins.
        """
        flags = [*self.synth_args, *(() if pins else self.architecture.inner_args),
                 *self.option_args(options, "synth")]
        return [*self.option_args(options, "setup"),
                " ".join([self.architecture.synth, "-top", top, *flags]),
                *self.architecture.finish]

    def place_arguments(self, options: Mapping[str, int | str], seed: int) -> list[str]:
        """Return nextpnr's arguments, files aside, with the clock limit as the constraint.

        There are none for a device without a placer.
        """
        return [*self.device_args, *self.architecture.place_args,
                "--freq", f"{self.clock_limit_mhz:g}", "--timing-allow-fail",
                "--seed", str(seed), *self.option_args(options, "place")]
