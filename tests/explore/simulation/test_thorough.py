"""What a compiled verification finds beyond a quick one: by resets, pauses and keys of its own."""

import dataclasses

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from toy import Toy
from toy_key import Keyed

from explore.pipeline.on_demand import Demand
from explore.simulation import CompiledEngine, simulate, stimulus, verify
from explore.tools.compiler import find_compiler
from montgomery import Signature
from montgomery.core import parameter

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")


class Around(wiring.Component):
    """A right core, and ``fault``: a function of the module, the core and its ports outside."""

    def __init__(self, core, word_width, fault):
        self._core, self._fault = core, fault
        super().__init__(Signature(word_width))

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        m.d.comb += [
            core.i.payload.eq(self.i.payload), core.i.valid.eq(self.i.valid),
            self.i.ready.eq(core.i.ready),
            self.o.payload.eq(core.o.payload), self.o.valid.eq(core.o.valid),
            core.o.ready.eq(self.o.ready),
        ]
        self._fault(m, core, self)
        return m


def _nothing(m, core, ports):
    """No fault."""


def _be_slow_after_a_pause(m, core, ports):
    """Hold each first word back for a clock, once a word has waited for 16 clocks."""
    waited, slow, held = Signal(5), Signal(), Signal()
    with m.If(~core.o.valid | ports.o.ready):
        m.d.sync += waited.eq(0)
    with m.Else():
        m.d.sync += waited.eq(waited + ~waited.all())
    m.d.sync += [slow.eq(slow | waited[-1]), held.eq(core.o.valid)]
    late = slow & core.o.valid & ~held
    m.d.comb += [ports.o.valid.eq(core.o.valid & ~late), core.o.ready.eq(ports.o.ready & ~late)]


def _remember_a_word(m, core, ports):
    """Be wrong if a reset comes in the clock after the first word, and in no other."""
    came, survives = Signal(), Signal(reset_less=True)
    idle, fresh, wrong = Signal(init=1), Signal(init=1), Signal()
    takes = ports.i.valid & ports.i.ready
    m.d.sync += [came.eq(takes & idle), survives.eq(came), fresh.eq(0), idle.eq(idle & ~takes),
                 wrong.eq(wrong | (fresh & survives))]
    m.d.comb += ports.o.payload.eq(core.o.payload ^ wrong)


_FAULTS = {"none": _nothing, "slow": _be_slow_after_a_pause, "reset": _remember_a_word}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Broken(Toy):
    """A toy, and what is wrong with it."""

    fault: str = parameter("none", "what is wrong", choices=tuple(_FAULTS))

    def create(self):
        return Around(super().create(), self.word_width, _FAULTS[self.fault])


@pytest.fixture
def compiled_engine(store, tmp_path, quick_compiler):
    """Return a function that compiles a core."""
    return lambda params: CompiledEngine(Demand(store, params, tmp_path).library(find_compiler()))


@pytest.mark.parametrize(("params", "says"), [
    (Broken(width=8), ""),
    (Broken(width=8, fault="slow"), "clocks between independent results after pauses"),
    (Broken(width=8, fault="reset"), "expected "),
    (Keyed(width=8), ""),
    (Keyed(width=13, word_width=8, fault="beside"), "no word went in or out"),
], ids=["right", "slow", "reset", "keyed", "beside"])
def test_a_compiled_verification_finds(params, says, compiled_engine):
    quick = verify(params)
    assert quick.ok, quick.message
    report = verify(params, engine=compiled_engine(params))
    assert report.ok == (not says), report.message
    assert says in report.message


@pytest.mark.parametrize("options", [
    {"eager": True, "seed": 1, "k_gap": 0.4, "i_gap": 0.2},
    {"superseded": True, "eager": True, "seed": 2, "k_gap": 0.2, "o_gap": 0.3},
    {"calm": 2, "seed": 3, "i_gap": 0.4, "o_gap": 0.6, "burst": 30},
], ids=lambda options: next(iter(options)))
def test_simulators_do_the_same_clock_for_clock(options, compiled_engine):
    params = Keyed(width=13, word_width=8)
    vectors = [(1, 2, 7), (3, 4, 7), (0, 1, 9), (5, 6, 7), (8, 8, 9), (1, 1, 9)]
    assert (simulate(params, vectors, engine=compiled_engine(params), **options)
            == simulate(params, vectors, **options))


def test_every_other_key_that_changes_comes_after_the_key_before():
    params = Keyed(width=8)
    vectors = [(1, 2, 7), (3, 4, 9), (0, 1, 9), (5, 6, 7)]
    sent = stimulus(params, vectors, superseded=True).keys
    seven, nine = params.encode_key(7), params.encode_key(9)
    assert sent == [seven, [*seven, *nine], [], [*nine, *seven]]


def test_the_environment_does_not_pause_once_it_is_calm():
    params = Toy(width=8)
    vectors = [(1, 2, 7)] * 6
    wild, calm, quiet = (simulate(params, vectors, seed=1, o_gap=0.5, i_gap=0.5, burst=9, **options)
                         if options else simulate(params, vectors)
                         for options in ({"calm": 0}, {"calm": 3}, {}))
    assert wild.cycles[:3] == calm.cycles[:3]
    assert calm.cycles[-1] == quiet.cycles[-1] != wild.cycles[-1]
