"""Any core behind registers on a bus, as a design: what of a device it takes, and its clock.

With ``bus=none`` it is the core alone, with which others are compared. All of it is in the clock
of the chain around it, also with ``own_clock``, where two clocks of one source meet.
"""

import dataclasses
import functools

from amaranth.hdl import ClockSignal, DomainRenamer, Fragment, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from explore.points.expand import kind_and_name, parse_value
from explore.points.point import cores
from montgomery.bus import BUSES, BusCore
from montgomery.core import About, Traits, parameter
from montgomery.kinds.design import Design
from montgomery.technology import Technology, technologies

__all__ = ["OneClock", "Parameters"]


class OneClock(wiring.Component):
    """A core made for a technology; if it has a clock of its own beside that of the bus, both are
    the same one here.

    Latency and throughput are those of the core, and its members are all but the clock.
    """

    def __init__(self, core: wiring.Component, technology: Technology) -> None:
        self._core, self._technology = core, technology
        super().__init__({name: member for name, member in core.signature.members.items()
                          if name != "core_clk"})

    def elaborate(self, platform):
        m, core = Module(), self._core
        inside = Fragment.get(core, self._technology)
        if "core_clk" in core.signature.members:
            inside = DomainRenamer({"bus": "sync", "sync": "core"})(inside)
            m.d.comb += core.core_clk.eq(ClockSignal("sync"))
        m.submodules.core = inside
        for name, member in self.signature.members.items():
            own, inner = getattr(self, name), getattr(core, name)
            if member.is_signature:
                wiring.connect(m, wiring.flipped(own), inner)
            else:
                m.d.comb += own.eq(inner) if member.flow == Out else inner.eq(own)
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Design):
    """A core, by its name and after it what is not the default: ``single_dsp word_width=32``."""

    _about = About(summary="any core behind registers on a bus")

    width: int = parameter(64, "bits of the numbers of the core", minimum=1, maximum=8192)
    core: str = parameter("mmm_mx_1d", "a core of any kind, followed by its parameters as "
                          "KEY=VALUE")
    bus: str = parameter("axi-lite", "the bus; none is the core alone", choices=("none", *BUSES))
    own_clock: bool = parameter(False, "the core has a clock of its own")
    clear: bool = parameter(False, "CLEAR wipes all that the core was sent")
    technology: str = parameter("generic", "family whose blocks the core may hold",
                                choices=(*technologies(),))

    def _check_parameters(self):
        if self.bus == "none" and (self.own_clock or self.clear):
            raise ValueError("A core on no bus has neither own_clock nor clear; leave them out, or "
                             "name a bus")
        _ = self.inner  # which refuses a core that there is not

    @functools.cached_property
    def inner(self):
        """Parameters of the core."""
        full_name, *settings = self.core.split() or [""]
        kind, name = kind_and_name(full_name)
        cls = cores(kind)[name]
        types = {field.name: field.type for field in dataclasses.fields(cls)}
        given = dict(setting.partition("=")[::2] for setting in settings)
        return cls(width=self.width, **{key: parse_value(key, value, types.get(key, str))
                                        for key, value in given.items()})

    @property
    def _traits(self):
        return Traits(inner=self.inner)

    def create(self):
        core = self.inner.create() if self.bus == "none" else BusCore(
            self.inner, self.bus, clear=self.clear, own_clock=self.own_clock)
        return OneClock(core, technologies()[self.technology])
