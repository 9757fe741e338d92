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
from amaranth.build import Platform

__all__ = ["OPEN_TOOLCHAINS", "Board", "boards", "find_boards"]

#: Toolchains in Amaranth's spelling that need no licence from a vendor.
OPEN_TOOLCHAINS = frozenset({"Apicula", "IceStorm", "Oxide", "QLSymbiflow", "Trellis"})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Board:
    """What can be said of a board without building for it.

    Attributes
    ----------
    name : str
        Unique in :func:`boards`: the platform's class name in lower case, less ``Platform``.
    module, platform : str
        Module of :mod:`amaranth_boards` and class in it; ``platform`` is empty when the module
        cannot be imported.
    family, device, package, speed : str
        As Amaranth's vendor support spells them, in lower case for the family; empty if unknown.
    toolchain : str
        The one that Amaranth selects when none is asked for.
    uart : bool
        Whether there is a serial port to a host.
    clock_mhz : float or None
        Frequency of the default clock.
    problem : str
        Why the board cannot be used; empty if it can.
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
    clock_mhz: float | None = None
    problem: str = ""

    @property
    def open(self) -> bool:
        """Whether :attr:`toolchain` is one of :data:`OPEN_TOOLCHAINS`."""
        return self.toolchain in OPEN_TOOLCHAINS

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


def _clock_mhz(platform: Platform) -> float | None:
    try:
        return platform.default_clk_frequency / 1e6
    except AttributeError:  # Amaranth's way to say that there is none
        return None


def _board(cls: type[Platform]) -> Board:
    # A name with an underscore in front of a suffix (ULX3S_85F_Platform) keeps only the inner one.
    name = cls.__name__.removesuffix("Platform").rstrip("_").lower()
    known = {"name": name, "module": cls.__module__, "platform": cls.__name__}
    try:
        platform = cls()
    except Exception as error:
        return Board(**known, problem=_one_line(error))
    texts = {field: str(getattr(platform, field, None) or "")
             for field in ("device", "package", "speed", "toolchain")}
    # Gowin platforms have a part number in place of a device, Altera ones no family.
    texts["device"] = texts["device"] or str(getattr(platform, "part", ""))
    vendor = next(base.__name__ for base in cls.__mro__ if base.__module__.startswith("amaranth."))
    family = getattr(platform, "family", None) or vendor.removesuffix("Platform")
    return Board(**known, **texts, family=family.lower(), uart=("uart", 0) in platform.resources,
                 clock_mhz=_clock_mhz(platform))


def _boards_of(module: ModuleType) -> Iterator[Board]:
    for cls in vars(module).values():
        if (inspect.isclass(cls) and issubclass(cls, Platform) and not inspect.isabstract(cls)
                and cls.__module__ == module.__name__):
            yield _board(cls)


def find_boards(package: ModuleType) -> dict[str, Board]:
    """Return the boards that the modules of ``package`` define, by name, in alphabetical order.

    A module that cannot be imported, and a platform that cannot be created, is a board too, with a
    :attr:`Board.problem`: one bad module hides no other board, and does not vanish itself.
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
