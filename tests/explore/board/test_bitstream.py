"""Bitstreams by the real tools, of designs that take seconds."""

import contextlib
import dataclasses
import json
import re
from types import SimpleNamespace

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from toy import Toy

from boards.build import commands, plan
from boards.catalogue import Adapter, boards
from boards.clock import clock_for
from boards.top import Top
from explore.board.bitstream import RECORD, target_of
from explore.board.build import Builder
from explore.outcome import Failure, Outcome, Retry, StageFailed, Status
from explore.pipeline.on_demand import SingleStages
from explore.points.expand import expand
from explore.tools.processes import Processes
from montgomery.blocks.multiply_add import MultiplyAdd
from montgomery.technology import GENERIC


class Counter(wiring.Component):
    """A counter with the ports of a board's top, as slow as its width makes it."""

    def __init__(self, frequency_hz, bits=8):
        self.frequency_hz, self._bits = frequency_hz, bits
        super().__init__({"rx": In(1), "tx": Out(1), "busy": Out(1), "error": Out(1)})

    def elaborate(self, platform):
        m = Module()
        count = Signal(self._bits)
        m.d.sync += count.eq(count + self.rx)
        m.d.comb += [self.tx.eq(count[-1]), self.busy.eq(count[0]), self.error.eq(count[1])]
        return m


class Row(Counter):
    """A row of registers with the same ports, as large as it has bits."""

    def elaborate(self, platform):
        m = Module()
        row = Signal(self._bits)
        m.d.sync += row.eq(row << 1 | self.rx)
        m.d.comb += self.tx.eq(row[-1])
        return m


class Product(Counter):
    """Two multipliers with the same ports."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        value = Signal(12)
        m.d.sync += value.eq(Cat(self.rx, value))
        for index in range(2):
            m.submodules[f"product_{index}"] = product = MultiplyAdd(a_width=12, b_width=12)
            m.d.comb += [product.a.eq(value), product.b.eq(~value)]
            value = product.p[6:18]
        m.d.comb += self.tx.eq(value.xor())
        return m


def builder(store, name, make_top=Counter, *, options=(), **more):
    board = boards()[name]
    point, = expand(["toy"], [6], {}, [target_of(board).name])
    point = dataclasses.replace(point, options=(*point.options, *options))
    return Builder(store, point, board, make_top, baud=115_200, **more)


@pytest.fixture
def runs(monkeypatch):
    """Return the list of tools that are run."""
    names = []
    run = Processes.run

    def counted(self, command, **options):
        if "--version" not in command:
            names.append(" ".join(map(str, command)))
        return run(self, command, **options)

    monkeypatch.setattr(Processes, "run", counted)
    return names


@pytest.mark.thorough
def test_a_bitstream_runs_at_what_it_reaches_and_is_built_once(store, tmp_path, runs):
    built = builder(store, "icebreaker", lambda hz: Counter(hz, 64)).build()
    assert 12 < built.clock_mhz <= built.fmax_mhz
    # Yosys, nextpnr and icepack each time: to find the frequency, at it, and at a higher one.
    first = len(runs)
    assert first in (6, 9, 12)

    path = built.copy(tmp_path / "out")
    # iCE40 bitstreams begin with a comment, or with their preamble.
    assert path.read_bytes()[:2] in (b"\xff\x00", b"\x7e\xaa")
    # nextpnr makes the same frequency of the PLL's settings.
    *_, timing = re.findall(r"\(PASS at ([\d.]+) MHz\)", (path.parent / "top.tim").read_text())
    assert float(timing) == pytest.approx(built.clock_mhz, abs=0.01)
    record = json.loads((path.parent / RECORD).read_text())
    assert (record["board"], record["arch"], record["width"]) == ("icebreaker", "toy", 6)
    assert record["bytes"] == path.stat().st_size > 100_000
    assert record["frequency_hz"] == round(built.clock_mhz * 1e6)

    again = builder(store, "icebreaker", lambda hz: Counter(hz, 64)).build()
    assert (again.key, again.fmax_mhz, len(runs)) == (built.key, built.fmax_mhz, first)


@pytest.fixture
def placements(monkeypatch):
    """Return a function that has a build with each seed reach a frequency, or fail if it is None.

    It takes the number of processors as well, and returns the list of the seeds that are built.
    """
    def use(reached, processors):
        seeds = []

        class Placed(contextlib.nullcontext):
            def __init__(self, store, *, jobs, announce):
                super().__init__(self)
                self.executor = SimpleNamespace(slots=min(processors, jobs or processors))

            def several(self, stages, job):
                seeds.extend(stage.seed for stage in stages)
                return [SimpleNamespace(outcome=self._outcome(stage)) for stage in stages]

            each = SingleStages.each

            def _outcome(self, stage):
                fmax = reached[stage.seed - 1]
                return Outcome(facts={"fmax_mhz": fmax, "used": {}}, failure=None if fmax else
                               Failure(status=Status.TOOL_ERROR, message="nextpnr crashed",
                                       retry=Retry.NEVER))

            def obtain(self, stage, job):
                outcome = self._outcome(stage)
                if outcome.failure:
                    raise StageFailed(outcome.failure)
                return "0" * 40, outcome

        monkeypatch.setattr("explore.board.build.SingleStages", Placed)
        return seeds
    return use


@pytest.mark.thorough
def test_multiplier_blocks_are_where_they_were_measured(store, monkeypatch):
    run, found = Processes.run, []

    def until_placed(self, command, *, folder, **options):
        if any("nextpnr" in str(word) for word in command) and "--version" not in command:
            cells = json.loads((folder / "top.json").read_bytes())["modules"]["top"]["cells"]
            found.append([cell["attributes"].get("BEL") for _, cell in sorted(cells.items())
                          if cell["type"] == "MULT18X18D"])
            raise StageFailed("enough")
        return run(self, command, folder=folder, **options)

    monkeypatch.setattr(Processes, "run", until_placed)
    with pytest.raises(StageFailed, match="enough"):
        builder(store, "ulx3s_12f", Product, options=[("dsp_placement", "rows")]).build()
    # The middle ones of its one row.
    assert found == [["X34/Y13/MULT18_1", "X38/Y13/MULT18_5"]]


@pytest.mark.parametrize(("reached", "clocks", "best", "missed"), [
    # What is reached at each clock: always the same; more when less is asked for; too little in
    # between, or always; all at once; a crash before and after there is something.
    ([100, 100], [183, 94.5], 94.5, ()),
    ([60, 80, 100, 102], [183, 57, 75, 94.5], 94.5, ()),
    ([60, 80, 70], [183, 57, 75, 66], 66, ()),
    ([37, 46, 41, 39], [183, 34.5, 43.5, 38.25], 38.25, ()),
    ([37, 46, 41, 38], [183, 34.5, 43.5, 38.25], 34.5, (38.25, 43.5)),
    ([100, 90, 84, 78], [183, 94.5, 85.5, 79.5], None, ()),
    ([200], [183], 183, ()),
    ([100, None], [183, 94.5], None, ()),
    ([60, 80, None], [183, 57, 75], 57, ())])
def test_the_highest_clock_that_is_met_is_found(store, monkeypatch, reached, clocks, best, missed):
    asked = []

    def obtain(self, clock):
        asked.append(float(clock.output_mhz))
        fmax = reached[min(len(asked), len(reached)) - 1]
        if fmax is None:
            raise StageFailed("nextpnr crashed")
        return 1, "0" * 40, Outcome(facts={"fmax_mhz": fmax, "used": {}})

    monkeypatch.setattr(Builder, "_obtain", obtain)
    if best is None:
        with pytest.raises(StageFailed):
            builder(store, "icebreaker").build()
    else:
        built = builder(store, "icebreaker").build()
        assert built.clock_mhz == best <= built.fmax_mhz
        # What is between the clock and what its build reaches was tried, and is told of.
        assert built.missed_mhz == missed
    assert asked == clocks


@pytest.mark.parametrize(("reached", "slots", "clock", "seed", "tried"), [
    # All that run together end, and the first one that meets the clock is taken.
    ([60, 60, 60, 60], 2, 60, 1, 2), ([50, 60, 70, 80], 2, 60, 2, 2),
    ([50, 55, 58, 62], 2, 60, 4, 4), ([50, 65, 70], 1, 60, 2, 2), ([50, 70], 8, 60, 2, 2),
    ([None, 70, 50], 1, 60, 2, 2), ([200, 12], 1, 12, 1, 1), ([60], 8, 60, 1, 1)])
def test_seeds_are_tried_until_the_clock_is_met(store, placements, reached, slots, clock, seed,
                                                tried):
    seeds = placements(reached, slots)
    built = builder(store, "icebreaker", seeds=len(reached)).build(clock)
    assert (built.seed, built.clock_mhz, built.fmax_mhz) == (seed, clock, reached[seed - 1])
    assert seeds == list(range(1, tried + 1))


@pytest.mark.parametrize(("ends", "said"), [
    (["top.shell.core.a.b_SB_LUT4_O_1_LC", "top.shell.core.c$7_SB_DFF_Q"],
     "the core limits the clock, from a.b to c"),
    (["$flatten\\top.\\shell.\\core.\\a_SB_DFF_Q", "top.shell.waiting.r_rdy_SB_DFF_Q"],
     "what joins the core and its serial shell limits the clock, from a to shell.waiting.r_rdy"),
    (["top.shell.to_key_SB_DFFESR_Q_DFFLC", "top.$signal$3_SB_DFF_Q"],
     "the serial shell around the core limits the clock, from shell.to_key to top"),
    (["$abc$7_SB_DFF_Q", "top.corex_SB_DFF_Q"],
     "the serial shell around the core limits the clock, from unnamed to corex"), (None, "")])
def test_what_limits_the_clock(store, monkeypatch, ends, said):
    outcome = Outcome(facts={"fmax_mhz": 60, "used": {}, "path": ends})
    monkeypatch.setattr(Builder, "_obtain", lambda self, clock: (1, "0" * 40, outcome))
    assert builder(store, "icebreaker").build(48).limit == said
    with pytest.raises(StageFailed) as caught:
        builder(store, "icebreaker").build(72)
    assert f"not 72{'; ' if said else ''}{said}; give --clock 57" in str(caught.value)


def test_where_a_top_has_its_core():
    board = boards()["icebreaker"]
    made = plan(board, clock_for(board, 12), lambda hz: Top(Toy(width=8), frequency_hz=round(hz)),
                GENERIC)
    assert re.search(r'cell \\top\.top\.shell\.core \\core', made.files["top.il"])


def test_no_seed_meets_the_clock(store, placements):
    seeds = placements([50, 58.46, None, 57], 2)
    with pytest.raises(StageFailed, match=r"^Timing is not met: toy on icebreaker reaches 58\.5 MHz"
                                          r" at best, with seed 2 of 4, not 60; give --clock 55, "
                                          r"or leave --clock out$"):
        builder(store, "icebreaker", seeds=4).build(60)
    assert seeds == [1, 2, 3, 4]
    placements([None, None], 2)
    with pytest.raises(StageFailed, match=r"^nextpnr crashed$"):
        builder(store, "icebreaker", seeds=2).build(60)


@pytest.mark.thorough
def test_a_design_that_does_not_fit_is_one_line(store):
    with pytest.raises(StageFailed, match=r"^toy does not fit on nandland_go: ERROR: "
                                          r"Unable to ") as caught:
        builder(store, "nandland_go", lambda hz: Row(hz, 1500)).build()
    assert "\n" not in str(caught.value)


def test_serial_ports_are_checked_before_anything_is_built(store, runs):
    for pins, message in (("35,3", "Resource component clk12_0 uses physical pin 35"),
                          ("pmod_7:1,3", "Pin 'pmod_7:1' is on no connector")):
        with pytest.raises(ValueError, match=f"^icebreaker: {message}"):
            builder(store, "icebreaker", adapter=Adapter.of(pins)).build()
    assert runs == []


def test_every_board_has_a_target_of_its_family():
    for board in boards().values():
        if not board.obstacle:
            target = target_of(board)
            assert target.family.name == board.family
            assert target.clock_limit_mhz
    assert target_of(boards()["tinyfpga_bx"]).synth_args == ("-device", "lp")


@pytest.mark.parametrize(("name", "mhz", "cells"), [
    # Its clock comes in on a pin of the PLL, which can have it from there alone.
    ("icebreaker", 48, {"SB_PLL40_PAD"}), ("ice40_hx8k_b_evn", 48, {"SB_PLL40_CORE"}),
    ("icebreaker", 12, set()), ("ulx3s_85f", 48, {"EHXPLLL"}), ("versa_ecp5", 100, set())])
def test_only_clocks_that_need_one_have_a_pll(name, mhz, cells):
    board = boards()[name]
    made = plan(board, clock_for(board, mhz), Counter, GENERIC)
    assert set(re.findall(r"cell \\(SB_PLL\w+|EHXPLLL)", made.files["top.il"])) == cells


@pytest.mark.parametrize("name", [name for name, board in boards().items()
                                  if not board.obstacle and (board.uart or board.adapter)])
def test_every_board_has_a_plan(name):
    board = boards()[name]
    clock = clock_for(board, 100)
    made = plan(board, clock, Counter, GENERIC, adapter=board.adapter)
    assert [command[0] for command in commands(made)][1:] == {
        "ice40": ["nextpnr-ice40", "icepack"], "ecp5": ["nextpnr-ecp5", "ecppack"]}[board.family]
    constraints = made.files.get("top.pcf") or made.files["top.lpf"]
    if board.uart:
        rx, tx, *_ = board.create().lookup("uart", 0).ios
        pins = [pin.ios[0].names[0] for pin in (rx, tx)]
        assert set(pins) <= set(constraints.replace('"', " ").replace(";", " ").split())
    # Nothing in it depends on when or where it was made.
    again = plan(board, clock, Counter, GENERIC, adapter=board.adapter)
    assert made.digest() == again.digest()
