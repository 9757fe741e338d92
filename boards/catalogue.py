"""The development boards of :mod:`amaranth_boards`, found by introspection."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import pkgutil

import amaranth_boards
from amaranth.build import Platform, Subsignal

from .adapters import ADAPTERS, Adapter
from .families import families

__all__ = ["Board", "boards"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Board:
    """A description of a board, made without building for it.

    Attributes
    ----------
    name : str
        A unique name: that of the module, and what the class's name adds to it: ``ulx3s_85f``.
    module, platform : str
        Module of :mod:`amaranth_boards` and class in it.
    family, device, package, speed : str
        The spelling of Amaranth's vendor support, in lower case for the family; empty if unknown.
    uart : bool
        Whether there is a serial port to a host, without any adapter.
    clock : str
        The resource that clocks a design, or an oscillator's name; empty if there is none.
    clock_mhz : float or None
        Frequency of the clock.
    programmer : bool
        Whether :mod:`amaranth_boards` knows a program that loads the board.
    problem : str
        The reason why :mod:`amaranth_boards` cannot make its platform; empty if it can.
    """

    name: str
    module: str
    platform: str
    family: str = ""
    device: str = ""
    package: str = ""
    speed: str = ""
    uart: bool = False
    clock: str = ""
    clock_mhz: float | None = None
    programmer: bool = False
    problem: str = ""

    @property
    def adapter(self) -> Adapter | None:
        """The serial adapter for a board without a serial port; None if none is known."""
        return ADAPTERS.get(self.name)

    @property
    def target(self) -> str:
        """The FPGA as measurements name it: ``ice40-hx8k``, ``ecp5-85k``, ``ecp5-45k-8``.

        Empty for a family that is not one of :func:`~boards.families.families`.
        """
        family = families().get(self.family)
        return family.target(self) if family else ""

    @property
    def obstacle(self) -> str:
        """The reason why no bitstream with a serial port can be built; empty if one can be."""
        if self.problem:
            return f"amaranth-boards cannot be used for it ({self.problem})"
        if self.family not in families():
            return f"its FPGA must be of {' or '.join(families())}, not {self.family}"
        if not self.clock:
            return "it has no clock"
        if self.clock in families()[self.family].oscillators:
            return f"{self.clock} on its FPGA is too inaccurate for a serial port"
        return ""

    def create(self) -> Platform:
        """Return a new platform."""
        return getattr(importlib.import_module(self.module), self.platform)()


def _board_name(cls: type[Platform]) -> str:
    """Return the module's name and what the class's name adds to it: ecpix5_45."""
    module = cls.__module__.rpartition(".")[2].lower()
    # A name with an underscore in front of the suffix (ULX3S_85F_Platform) keeps only inner ones.
    name = rest = cls.__name__.removesuffix("Platform").rstrip("_").lower()
    for letter in module.replace("_", ""):
        rest = rest.lstrip("_")
        if not rest.startswith(letter):
            return name
        rest = rest[1:]
    return "_".join(filter(None, [module, rest.lstrip("_")]))


def _clock(platform: Platform, name: str) -> tuple[str, float | None]:
    if name in ADAPTERS and ADAPTERS[name].clock:
        clock = ADAPTERS[name].clock
        return clock, platform.lookup(clock).clock.frequency / 1e6
    try:
        return platform.default_clk, platform.default_clk_frequency / 1e6
    except AttributeError:  # Amaranth's way to say that there is none
        return "", None


def _uart(platform: Platform) -> bool:
    try:
        ios = platform.resources["uart", 0].ios
    except KeyError:
        return False
    return {"rx", "tx"} <= {io.name for io in ios if isinstance(io, Subsignal)}


def _board(cls: type[Platform]) -> Board:
    known = Board(name=_board_name(cls), module=cls.__module__, platform=cls.__name__)
    try:
        platform = cls()
    except Exception as error:
        return dataclasses.replace(known, problem=" ".join(str(error).split()))
    texts = {field: str(getattr(platform, field, None) or "")
             for field in ("device", "package", "speed")}
    # Gowin platforms have a part number in place of a device, Altera ones no family.
    texts["device"] = texts["device"] or str(getattr(platform, "part", ""))
    vendor = next(base.__name__ for base in cls.__mro__ if base.__module__.startswith("amaranth."))
    family = getattr(platform, "family", None) or vendor.removesuffix("Platform")
    clock, clock_mhz = _clock(platform, known.name)
    return dataclasses.replace(
        known, **texts, family=family.lower(), uart=_uart(platform), clock=clock,
        clock_mhz=clock_mhz,
        programmer=cls.toolchain_program is not Platform.toolchain_program)


@functools.cache
def boards() -> dict[str, Board]:
    """Return the boards of :mod:`amaranth_boards` by name, in alphabetical order.

    If a platform cannot be created, there is a board for it too, with a :attr:`Board.problem`.
    """
    modules = [importlib.import_module(f"{amaranth_boards.__name__}.{info.name}")
               for info in pkgutil.iter_modules(amaranth_boards.__path__) if not info.ispkg]
    found = [_board(cls) for module in modules for cls in vars(module).values()
             if inspect.isclass(cls) and issubclass(cls, Platform) and not inspect.isabstract(cls)
             and cls.__module__ == module.__name__]
    return {board.name: board for board in sorted(found, key=lambda board: board.name)}
