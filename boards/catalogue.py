"""The development boards of :mod:`amaranth_boards`, found by introspection; serial adapters.

An adapter is for a board that has no serial port of its own there. Its pins are named as Amaranth
names those of a connector, ``CONNECTOR_NUMBER:PIN``, or by the ball or lead of the package. The
command line can name two pins of any board.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import pkgutil

import amaranth_boards
from amaranth.build import Attrs, Pins, Platform, Resource, Subsignal

from .families import families

__all__ = ["ADAPTERS", "Adapter", "Board", "boards"]


@dataclasses.dataclass(frozen=True)
class Adapter:
    """The pins to which a serial adapter is attached.

    Attributes
    ----------
    rx, tx : str
        The pin at which the FPGA receives, and the pin at which it sends.
    note : str
        One line that says what else has to be done to the board; empty if nothing else.
    clock : str
        The resource that clocks the design, if the default clock cannot be used.
    high : tuple of str
        Pins to be driven high, so that nothing else drives ``rx`` or ``tx``.
    """

    rx: str
    tx: str
    note: str = ""
    clock: str = ""
    high: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Adapter:
        """Return the adapter on two different pins given as ``RX,TX``."""
        pins = [pin.strip() for pin in text.split(",")]
        if len(pins) != 2 or not all(pins) or pins[0] == pins[1]:
            raise ValueError(f"UART pins must be two different pins, RX,TX, not '{text}'; write "
                             "them as pmod_0:1,pmod_0:2 or by the package's names")
        return cls(pins[0], pins[1])

    @property
    def advice(self) -> str:
        """One line that says what has to be done to the board."""
        return self.note or (f"attach a serial adapter of 3.3 V that sends to pin {self.rx} and "
                             f"receives from pin {self.tx}")

    def attach(self, platform: Platform, family: str) -> None:
        """Add the resources ``adapter`` (with ``rx`` and ``tx``) and ``adapter_high``."""
        connected = {pin for connector in platform.connectors.values() for pin, _ in connector}
        for pin in (self.rx, self.tx, *self.high):
            if ":" in pin and pin not in connected:
                names = sorted({name.partition(":")[0] for name in connected})
                raise ValueError(f"Pin '{pin}' is on no connector of the board; "
                                 f"{'these are ' + ', '.join(names) if names else 'it has none'}")
        attributes = Attrs(**families()[family].levels)
        resources = [Resource("adapter", 0, Subsignal("rx", Pins(self.rx, dir="i")),
                              Subsignal("tx", Pins(self.tx, dir="o")), attributes)]
        if self.high:
            resources.append(Resource("adapter_high", 0, Pins(" ".join(self.high), dir="o"),
                                      attributes))
        platform.add_resources(resources)


#: Source of each entry: the connectors in :mod:`amaranth_boards`, unless a comment says otherwise.
ADAPTERS = {
    "fomu_hacker": Adapter("pin_0:1", "pin_1:1"),
    "ice40_hx1k_blink_evn": Adapter("pmod_1:1", "pmod_1:2"),
    "ice40_up5k_b_evn": Adapter("pmod_0:1", "pmod_0:2"),
    "icebreaker_bitsy": Adapter("pmod_1:1", "pmod_1:2"),
    "logicbone": Adapter("P8_0:3", "P8_0:4"),
    "logicbone_85f": Adapter("P8_0:3", "P8_0:4"),
    # The header has the names of the Feather's UART, D0 (RX) and D1 (TX).
    "orangecrab_r0_1": Adapter("io_0:0", "io_0:1"),
    "orangecrab_r0_2": Adapter("io_0:0", "io_0:1"),
    "orangecrab_r0_2_25f": Adapter("io_0:0", "io_0:1"),
    "orangecrab_r0_2_85f": Adapter("io_0:0", "io_0:1"),
    "tinyfpga_bx": Adapter("gpio_0:1", "gpio_0:2"),
    # upduino.pcf of the board's makers (tinyvision-ai): its USB bridge reaches the FPGA on the
    # wires of the flash alone, whose chip select must be high. The oscillator of the FPGA is good
    # to 10 % (FPGA-DS-02008, table 4.11), that of the board needs the jumper OSC.
    "upduino_v3": Adapter("15", "14", high=("16",), clock="clk12",
                          note="close the jumper OSC, which brings the 12 MHz to pin 20"),
}


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
