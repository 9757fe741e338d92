"""A design on a board: the hardware around it, the plan for its bitstream, and loading that."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from amaranth.build import Platform, ResourceError, TemplatedPlatform
from amaranth.build.run import BuildPlan, LocalBuildProducts
from amaranth.hdl import ClockDomain, Elaboratable, Fragment, Module
from amaranth.lib import io, wiring

from .catalogue import Adapter, Board
from .clock import Clock, ClockGenerator
from .families import families
from .port import BoardError

if TYPE_CHECKING:
    from montgomery.technology import Technology

__all__ = ["NAME", "REPORT", "bitstream_name", "commands", "plan", "program"]

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

    ``make_top`` is called with the frequency in Hz, and returns a component with ports ``rx``,
    ``tx``, ``busy`` and ``error`` in domain ``sync``, which is made for ``technology``. Without an
    ``adapter`` the board's own serial port is used. ``setup`` are commands of yosys before
    synthesis; ``synth`` and ``place`` are arguments of the synthesis command and of nextpnr.
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
    """Return the tools of a plan up to the bitstream, in order, each with its arguments."""
    found = json.loads(build_plan.files[f"build_{NAME}.json"])["commands"]
    tools = {"yosys", *(tool for family in families().values()
                        for tool in (family.placer, family.packer))}
    return [command for command in found if command[0] in tools]


#: openFPGALoader's names for boards, from its list of boards; the cable where it has none.
_LOADER_ARGUMENTS = {
    "colorlight_5a75b_r7_0": ("-c", "ft232"), "ecp5_5g_evn": ("-b", "ecp5_evn"),
    "ecpix5_45": ("-b", "ecpix5"), "ecpix5_85": ("-b", "ecpix5"),
    "versa_ecp5": ("-c", "ft2232"), "versa_ecp5_5g": ("-c", "ft2232"),
    **{f"ulx3s_{size}f": ("-b", "ulx3s") for size in (12, 25, 45, 85)},
    **dict.fromkeys(("ice40_hx8k_b_evn", "ice40_up5k_b_evn", "icebreaker", "icestick"),
                    ("-b", "ice40_generic")),
}


def program(board: Board, folder: Path, *, loader: bool = False) -> None:
    """Load the bitstream in ``folder``. What the programmer says goes to stderr.

    With ``loader``, openFPGALoader is used, or what variable ``OPENFPGALOADER`` names, instead of
    the board's own programmer. :exc:`.BoardError` says that there is none, or that it failed.
    """
    path = folder / bitstream_name(board)
    if not path.is_file():
        raise BoardError(f"There is no {path}; 'montgomery board build {board.name}' makes it")
    loader |= not board.programmer
    if loader and board.name not in _LOADER_ARGUMENTS:
        raise BoardError(f"No programmer is known for {board.name}; load {path} by what came with "
                         "the board")
    try:
        with _on_stderr():
            if loader:
                name = os.environ.get("OPENFPGALOADER", "openFPGALoader")
                subprocess.check_call([name, *_LOADER_ARGUMENTS[board.name], str(path)])
            else:
                board.create().toolchain_program(LocalBuildProducts(str(folder)), NAME)
    except FileNotFoundError as error:
        other = "" if loader else ", or give --loader for openFPGALoader"
        raise BoardError(f"{error.filename} is missing, which programs {board.name}; install "
                         f"it{other}") from None
    except subprocess.CalledProcessError as error:
        raise BoardError(f"{board.name} was not programmed, and {error.cmd[0]} said why; attach "
                         "the board, and see that you may use its USB bridge (add a udev rule)"
                         ) from None


@contextlib.contextmanager
def _on_stderr() -> Iterator[None]:
    """Send to stderr what other programs write to stdout, where the answer of this one goes."""
    sys.stdout.flush()
    answers = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(answers, 1)
        os.close(answers)
