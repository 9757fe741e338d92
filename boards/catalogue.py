"""The development boards of :mod:`amaranth_boards`, found by introspection."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import amaranth_boards
from amaranth.build import Platform, Subsignal

from .adapters import ADAPTERS, Adapter
from .families import families

__all__ = ["OPEN_TOOLCHAINS", "Board", "boards", "find_boards"]

#: Toolchains in Amaranth's spelling that need no licence from a vendor.
OPEN_TOOLCHAINS = frozenset({"Apicula", "IceStorm", "Oxide", "QLSymbiflow", "Trellis"})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Board:
    """A description of a board, made without building for it.

    Attributes
    ----------
    name : str
        A unique name: that of the module, and what the class's name adds to it: ``ulx3s_85f``.
    module, platform : str
        Module of :mod:`amaranth_boards` and class in it; ``platform`` is empty when the module
        cannot be imported.
    family, device, package, speed : str
        The spelling of Amaranth's vendor support, in lower case for the family; empty if unknown.
    toolchain : str
        The toolchain that Amaranth selects by default.
    uart : bool
        Whether there is a serial port to a host, without any adapter.
    clock : str
        The resource that clocks a design, or an oscillator's name; empty if there is none.
    clock_mhz : float or None
        Frequency of the clock.
    leds : tuple of str
        Resources that are LEDs of one colour, such as ``led_0``, or of several.
    programmer : bool
        Whether :mod:`amaranth_boards` knows a program that loads the board.
    problem : str
        The reason why the board cannot be used; empty if it can be.
    """

    name: str
    module: str
    platform: str = ""
    family: str = ""
    device: str = ""
    package: str = ""
    speed: str = ""
    toolchain: str = ""
    uart: bool = False
    clock: str = ""
    clock_mhz: float | None = None
    leds: tuple[str, ...] = ()
    programmer: bool = False
    problem: str = ""

    @property
    def open(self) -> bool:
        """Whether :attr:`toolchain` is one of :data:`OPEN_TOOLCHAINS`."""
        return self.toolchain in OPEN_TOOLCHAINS

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
            kind, colon, text = self.problem.partition(": ")
            return f"amaranth-boards cannot be used for it ({text if colon else kind})"
        if not self.open:
            return f"it needs a vendor's tools ({self.toolchain})"
        if self.family not in families():
            return f"bitstreams are built for {' and '.join(families())}, not {self.family}"
        if not self.clock:
            return "it has no clock"
        if self.clock in families()[self.family].oscillators:
            return f"{self.clock} on its FPGA is too inaccurate for a serial port"
        return ""

    def create(self) -> Platform:
        """Return a new platform.

        Raises
        ------
        ValueError
            If the board cannot be used; the message says why.
        """
        if self.problem:
            raise ValueError(f"Board {self.name} cannot be used: {self.problem}")
        return getattr(importlib.import_module(self.module), self.platform)()


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


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
        return dataclasses.replace(known, problem=_one_line(error))
    texts = {field: str(getattr(platform, field, None) or "")
             for field in ("device", "package", "speed", "toolchain")}
    # Gowin platforms have a part number in place of a device, Altera ones no family.
    texts["device"] = texts["device"] or str(getattr(platform, "part", ""))
    vendor = next(base.__name__ for base in cls.__mro__ if base.__module__.startswith("amaranth."))
    family = getattr(platform, "family", None) or vendor.removesuffix("Platform")
    clock, clock_mhz = _clock(platform, known.name)
    return dataclasses.replace(
        known, **texts, family=family.lower(), uart=_uart(platform), clock=clock,
        clock_mhz=clock_mhz, leds=tuple(f"{name}_{number}" for name, number in platform.resources
                                        if name in ("led", "rgb_led")),
        programmer=cls.toolchain_program is not Platform.toolchain_program)


def _boards_of(module: ModuleType) -> Iterator[Board]:
    for cls in vars(module).values():
        if (inspect.isclass(cls) and issubclass(cls, Platform) and not inspect.isabstract(cls)
                and cls.__module__ == module.__name__):
            yield _board(cls)


def find_boards(package: ModuleType) -> dict[str, Board]:
    """Return the boards that the modules of ``package`` define, by name, in alphabetical order.

    If a module cannot be imported or a platform cannot be created, there is a board for it too,
    with a :attr:`Board.problem`. So a bad module hides no board.
    """
    found = []
    for info in pkgutil.iter_modules(package.__path__):
        if info.ispkg:
            continue
        full_name = f"{package.__name__}.{info.name}"
        try:
            module = importlib.import_module(full_name)
        except Exception as error:
            found.append(Board(name=info.name.lower(), module=full_name, problem=_one_line(error)))
        else:
            found += _boards_of(module)
    return {board.name: board for board in sorted(found, key=lambda board: board.name)}


@functools.cache
def boards() -> dict[str, Board]:
    """Return :func:`find_boards` of :mod:`amaranth_boards`."""
    return find_boards(amaranth_boards)
