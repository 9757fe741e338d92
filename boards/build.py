"""A design on a board: the hardware around it, and Amaranth's plan for its bitstream."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from amaranth.build import Platform, ResourceError, TemplatedPlatform
from amaranth.build.run import BuildPlan
from amaranth.hdl import ClockDomain, Elaboratable, Fragment, Module
from amaranth.lib import io, wiring

from .adapters import Adapter
from .catalogue import Board
from .clock import Clock, ClockGenerator
from .families import families

if TYPE_CHECKING:
    from montgomery.technology import Technology

__all__ = ["NAME", "REPORT", "bitstream_name", "commands", "plan"]

#: Name of the top module, and of the files but for their endings.
NAME = "top"
#: The file in which nextpnr reports frequencies and what is used.
REPORT = "report.json"


class _Options(TemplatedPlatform):
    """Gives options to a platform's tools, after those of the board.

    Some boards pass on what :meth:`Platform.prepare` is given beside their own, and fail.
    """

    options: ClassVar[dict[str, str | bool]] = {}

    def toolchain_prepare(self, fragment: Fragment, name: str, **options: str) -> BuildPlan:
        return super().toolchain_prepare(fragment, name, **{**options, **self.options})


def _platform(board: Board, options: dict[str, str | bool]) -> Platform:
    cls = type(board.create())
    return type(cls.__name__, (cls, _Options), {"options": options})()


class _OnBoard(Elaboratable):
    """A design with the board's clock, serial port and LEDs around it."""

    def __init__(self, board: Board, clock: Clock, top: wiring.Component,
                 technology: Technology, adapter: Adapter | None = None) -> None:
        self._board, self._clock, self._top = board, clock, top
        self._technology, self._adapter = technology, adapter

    def elaborate(self, platform: Platform) -> Module:
        m = Module()
        m.domains.sync = ClockDomain(name="sync")
        m.submodules.clock = ClockGenerator(self._board, self._clock)
        # As it was measured for the FPGA, whatever the platform.
        m.submodules.top = Fragment.get(self._top, self._technology)
        uart = platform.request("adapter" if self._adapter else "uart", 0, dir="-")
        m.submodules.rx = rx = io.Buffer("i", uart.rx)
        m.submodules.tx = tx = io.Buffer("o", uart.tx)
        m.d.comb += [self._top.rx.eq(rx.i), tx.o.eq(self._top.tx)]
        if self._adapter is not None and self._adapter.high:
            m.submodules.high = high = io.Buffer("o", platform.request("adapter_high", 0, dir="-"))
            m.d.comb += high.o.eq(~0)
        # Those that are left when the serial port has its pins; there may be none.
        for signal, port in zip((self._top.busy, self._top.error), self._leds(platform),
                                strict=False):
            m.submodules += (led := io.Buffer("o", port))
            m.d.comb += led.o.eq(signal)
        return m

    def _leds(self, platform: Platform) -> list[io.PortLike]:
        found = []
        for name, number in list(platform.resources):
            try:
                if name == "led":
                    found.append(platform.request(name, number, dir="-"))
                elif name == "rgb_led":
                    colours = platform.request(name, number, dir="-")
                    found += [colours.g, colours.r]
            except ResourceError:  # its pin is one of the serial port's, or of another LED's
                continue
            if len(found) >= 2:
                break
        return found


def plan(board: Board, clock: Clock, make_top: Callable[[float], wiring.Component],
         technology: Technology, *, adapter: Adapter | None = None, setup: Sequence[str] = (),
         synth: Sequence[str] = (), place: Sequence[str] = ()) -> BuildPlan:
    """Return Amaranth's plan for a bitstream, for a board without :attr:`.Board.obstacle`.

    Parameters
    ----------
    make_top : callable
        Called with the frequency in Hz; returns a component with ports ``rx``, ``tx``, ``busy`` and
        ``error`` in domain ``sync``.
    technology : :class:`~montgomery.technology.Technology`
        What the component is made for.
    adapter : :class:`~boards.adapters.Adapter` or None
        The serial adapter; None for the board's own port.
    setup : sequence of str
        Commands of yosys before synthesis.
    synth, place : sequence of str
        Arguments of the synthesis command and of nextpnr.

    :exc:`ValueError` says that the board has no serial port, or no such pins.
    """
    if adapter is None and not board.uart:
        raise ValueError(f"{board.name} has no serial port; name two pins of an adapter with "
                         "--uart-pins RX,TX")
    platform = _platform(board, {
        "emit_src": False, "script_after_read": "\n".join(setup) or "# none",
        "synth_opts": " ".join(synth),
        # Whether timing is met is for the caller to tell, who wants the report in any case.
        "nextpnr_opts": " ".join(["--report", REPORT, "--timing-allow-fail", *place])})
    if adapter is not None:
        try:
            adapter.attach(platform, board.family)
            # A resource can be requested once, so this is asked of a platform that is thrown away.
            adapter.attach(trial := board.create(), board.family)
            for resource in ("adapter", board.clock):
                trial.request(resource, 0, dir="-")
        except (ResourceError, ValueError) as error:
            raise ValueError(f"{board.name}: {' '.join(str(error).split())}") from None
    design = _OnBoard(board, clock, make_top(clock.frequency_hz), technology, adapter)
    return platform.prepare(design, NAME)


def bitstream_name(board: Board) -> str:
    """Return the name of the file that a plan leaves for the board."""
    return f"{NAME}.{families()[board.family].ending}"


def commands(build_plan: BuildPlan) -> list[list[str]]:
    """Return the tools of a plan in order, each with its arguments, up to the bitstream.

    Later steps of a board, such as dfu-suffix, are left out: programmers need none of them.
    """
    found = json.loads(build_plan.files[f"build_{NAME}.json"])["commands"]
    tools = {"yosys", *(tool for family in families().values()
                        for tool in (family.placer, family.packer))}
    return [command for command in found if command[0] in tools]
