import signal

import pytest
from sweeps import SEEDS, leftovers, points, sweep
from watching import gone

from explore.errors import DiskFull, ToolMissing
from explore.pipeline.run import plan
from explore.store import Store


def in_order(rows):
    return sorted(rows, key=lambda row: (row["target"], row["width"], row["seed"]))


def test_rows(store, fakes):
    rows = sweep(store, points(targets=("ice40-hx8k", "ecp5-25k-8")))
    assert [(row["target"], row["seed"], row["fmax_mhz"]) for row in rows] == [
        ("ice40-hx8k", 1, 101), ("ice40-hx8k", 2, 102),
        ("ecp5-25k-8", 1, 101), ("ecp5-25k-8", 2, 102)]
    assert {(row["status"], row["constant_time"], row["width"]) for row in rows} == {
        ("ok", True, 8)}
    assert [(row["lut"], row["ff"], row["constraint_mhz"]) for row in rows[::2]] == [
        (14, 7, 275), (14, 7, 370)]
    first = rows[0]
    assert first["cycles_compute"] == 10
    assert first["latency_us"] == pytest.approx(10 / 101)
    assert first["throughput_mbps"] == pytest.approx(8 * 101 / first["cycles_interval"])
    # A toy starts a multiplication when the one before it has ended.
    assert first["cycles_initiation"] == first["cycles_interval"]
    assert first["throughput_pipelined_mbps"] == first["throughput_mbps"]
    assert first["lut_us"] == pytest.approx(14 * 10 / 101)
    assert first["versions"]["yosys"] == "yosys version 1"
    assert first["versions"]["nextpnr"] == "nextpnr-ice40 version 1"
    assert in_order(store.rows().values()) == in_order(rows)
    assert fakes.jobs == ["nextpnr-ecp5 1", "nextpnr-ecp5 2", "nextpnr-ice40 1", "nextpnr-ice40 2",
                          "yosys -", "yosys -"]
    assert not leftovers(store)


def test_area_alone_where_nothing_places(store, fakes):
    events = []
    rows = sweep(store, points(targets=("xc7", "ice40-hx8k")), seeds=2, on_event=events.append)
    assert [(row["target"], row["seed"], row["status"]) for row in rows] == [
        ("xc7", 1, "area_only"), ("ice40-hx8k", 1, "ok"), ("ice40-hx8k", 2, "ok")]
    row = rows[0]
    # Ten of LUT4, five of LUT6.
    assert (row["lut"], row["ff"], row["dsp"], row["bram"]) == (15, 7, 0, 0)
    assert (row["cycles_compute"], row["constant_time"], row["log"]) == (10, True, None)
    assert {row[name] for name in ("fmax_mhz", "fmax_usable_mhz", "constraint_mhz", "latency_us",
                                   "throughput_mbps", "lut_us", "seconds_place")} == {None}
    assert list(row["arguments"]) == ["yosys"]
    assert "nextpnr" not in row["versions"]
    assert in_order(store.rows().values()) == in_order(rows)
    assert fakes.jobs == ["nextpnr-ice40 1", "nextpnr-ice40 2", "yosys -", "yosys -"]
    planned = plan(dict.fromkeys(points(targets=("xc7", "ice40-hx8k")), 2), store=store)
    assert (planned.points, planned.rows, sum(planned.to_run.values())) == (2, 3, 0)


def test_repeated_sweep_runs_nothing(store, fakes, monkeypatch):
    first = sweep(store)
    calls = fakes.calls
    monkeypatch.setattr("explore.tools.processes.Processes.start", None)
    events = []
    assert sweep(store, on_event=events.append) == first
    assert fakes.calls == calls
    assert all(event.cached for event in events if event.kind == "finish")
    kinds = [event.kind for event in events]
    assert kinds == ["plan", *["finish"] * 6, "forecast"]
    assert events[-1].label == "0 rows to measure, 2 in the store, 0 known to fail"


def test_equal_work_is_done_once(store, fakes):
    fakes.behave(yosys="sleep 0.5")
    events = []
    # The two have the same hardware.
    sweep(store, points() + points() + points(archs="toy,wrong"), on_event=events.append)
    assert fakes.jobs == ["nextpnr-ice40 1", "nextpnr-ice40 2", "yosys -"]
    assert "wait" not in {event.kind for event in events}


def test_events(store, fakes):
    events = []
    sweep(store, on_event=events.append)
    assert events[0].kind == "plan"
    assert {(event.stage, event.status) for event in events if event.kind == "finish"} == {
        (stage, "ok") for stage in ("elaborate", "stimuli", "verify", "synth", "place")}
    assert [event.done for event in events if event.kind == "finish"] == [1, 2, 3, 4, 5, 6]
    # How many there are is known when the core is elaborated.
    assert [event.total for event in events if event.kind == "finish"] == [1, *[6] * 5]


PLACE_FAILURES = [
    ("sleep 60", "timeout", "was stopped after"),
    (f"signal {signal.SIGKILL}", "oom", "out of memory"),
    ("fail ERROR: Unable to place cell 'x', no BELs remaining", "no_fit", "no BELs remaining"),
    ("nothing", "tool_error", "left no output"),
]


@pytest.mark.parametrize(("mode", "status", "message"), PLACE_FAILURES)
def test_placement_that_fails(store, fakes, mode, status, message):
    fakes.behave(nextpnr_ice40_2=mode)
    good, bad = sweep(store, timeout_minutes=0.05 if mode == "sleep 60" else 1)
    assert good["status"] == "ok"
    assert bad["status"] == status
    assert message in bad["log"]
    assert (bad["lut"], bad["ff"]) == (14, 7)
    assert bad["fmax_mhz"] is bad["latency_us"] is bad["throughput_mbps"] is None
    assert gone(pid for _, _, pid, _ in fakes.calls)


@pytest.mark.parametrize(("mode", "status", "message"), [
    (f"signal {signal.SIGABRT}", "tool_error", "SIGABRT"),
    ("fail ERROR: Module `MULT18X18D' is not part of the design", "no_fit", "MULT18X18D"),
    ("rubbish", "tool_error", "wrote rubbish"),
    ("optimised", "tool_error", "other cells than they have"),
])
def test_synthesis_that_fails(store, fakes, mode, status, message):
    fakes.behave(yosys=mode)
    rows = sweep(store, timeout_minutes=1)
    assert [row["status"] for row in rows] == [status] * SEEDS
    assert message in rows[0]["log"]
    assert rows[0]["lut"] is None
    assert fakes.jobs == ["yosys -"]


@pytest.mark.parametrize(("arch", "status", "message"), [
    ("raising", "tool_error", "NotImplementedError: no such hardware"),
    ("vanishing", "tool_error", "SIGABRT"), ("endless", "timeout", "was stopped after"),
    ("wrong", "unverified", "expected"),
])
def test_core_that_cannot_be_measured(store, fakes, arch, status, message):
    rows = sweep(store, points(f"{arch},toy"), seeds=1, timeout_minutes=0.15)
    assert [row["status"] for row in rows] == [status, "ok"]
    assert message in rows[0]["log"]
    assert rows[0]["lut"] is None
    assert fakes.jobs.count("yosys -") == 1


@pytest.mark.parametrize(("mode", "first", "second", "again"), [
    ("fail ERROR: no BELs remaining", {}, {}, False),
    ("fail ERROR: bad day", {}, {}, True),
    ("sleep 60", {"timeout_minutes": 0.05}, {"timeout_minutes": 0.05}, False),
    ("sleep 60", {"timeout_minutes": 0.05}, {"timeout_minutes": 1}, True),
    ("sleep 60", {"timeout_minutes": 0.05}, {}, True),
])
def test_what_is_tried_again(store, fakes, mode, first, second, again):
    fakes.behave(nextpnr_ice40=mode)
    row, = sweep(store, seeds=1, **first)
    fakes.behave()
    repeated, = sweep(store, seeds=1, **second)
    assert fakes.jobs.count("nextpnr-ice40 1") == 1 + again
    assert repeated["status"] == ("ok" if again else row["status"])
    assert len(store.rows()) == 1


def test_missing_tool(store, fakes, monkeypatch):
    monkeypatch.setenv("NEXTPNR_ICE40", "/nonexistent/nextpnr")
    with pytest.raises(ToolMissing, match=r"NEXTPNR_ICE40 names '/nonexistent/nextpnr', which"):
        sweep(store)
    assert not store.rows()


@pytest.mark.parametrize(("tool", "job"), [("YOSYS", "yosys -"),
                                           ("NEXTPNR_ICE40", "nextpnr-ice40 1")])
def test_tools_of_one_version_text_share_nothing(store, fakes, tool, job):
    before, = sweep(store, seeds=1)
    fakes.forget()
    # Another program, which says the same of its version.
    with open(fakes.variables[tool], "a") as program:
        print("# changed", file=program)
    with Store(store.path.parent / "other") as other:
        for each, earlier in ((store, []), (other, [before])):
            row, = sweep(each, seeds=1, before=earlier)
            assert row["versions"] == before["versions"]
            assert row["recipe"]["place"] != before["recipe"]["place"]
    # The netlist comes out the same, so that it need not be placed again where the store has that.
    assert fakes.jobs == sorted([job, "nextpnr-ice40 1", "yosys -"])


def test_full_disk_in_a_tool(store, fakes):
    fakes.behave(nextpnr_ice40_2="fail fatal: No space left on device")
    with pytest.raises(DiskFull, match="Disk is full: nextpnr-ice40 could not go on"):
        sweep(store, jobs=1)
    assert not leftovers(store)
    assert not list((store.path / "locks").glob("*"))
    fakes.behave()
    assert [row["status"] for row in sweep(store)] == ["ok", "ok"]
    assert fakes.jobs.count("yosys -") == 1


def test_full_disk_in_the_store(store, fakes):
    database = store._database._connection
    pages, = database.execute("PRAGMA page_count").fetchone()
    database.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(DiskFull, match=r"Disk is full: cannot write in .*store"):
        sweep(store, points(widths=range(4, 12)))
    database.execute("PRAGMA max_page_count = 1000000")
    assert {row["status"] for row in sweep(store)} == {"ok"}
