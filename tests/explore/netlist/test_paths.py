import csv
import json
import re
from pathlib import Path

import pytest
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from measurements import row

import montgomery
from explore.data.frame import save
from explore.netlist.origins import Origins, core_origins, hops
from montgomery.registry import cores as real_cores
from montgomery.technology import GENERIC

ROOT = Path(montgomery.__file__).parents[1]


@pytest.mark.parametrize("name", ["mmm_mx_1d", "multi_step", "single_dsp"])
def test_every_wire_comes_from_a_line_of_the_core(name):
    params = real_cores("multiplier")[name](width=16)
    origins = core_origins(params, GENERIC)
    for number, signal in origins.hardware.names.items():
        origin = origins.of(f"core.{number}_TRELLIS_FF_Q_3_DI_LUT4_Z")
        assert origin.signal == signal
        # Ports of memories alone are computed nowhere, but in Amaranth.
        assert origin.lines or signal.rpartition(".")[2].partition("$")[0].endswith("__data")
        for line in origin.lines:
            file, _, number = line.rpartition(":")
            assert file.startswith("montgomery/")
            assert 0 < int(number) <= len((ROOT / file).read_text().splitlines())
    # What the netlist calls a register of the core is found in the text of that line.
    number = _number(origins, _register(name))
    computed = origins.of(f"core.{number}_SB_DFF_Q_1").lines
    assert any(_register(name).rpartition(".")[2] in _text(line) for line in computed)


def _number(origins, signal):
    """Return the name that a signal has in the netlist."""
    return next(number for number, name in origins.hardware.names.items() if name == signal)


def _register(name):
    return {"mmm_mx_1d": "buffer.waiting", "multi_step": "occupied",
            "single_dsp": "loader.restarts"}[name]


def _text(line):
    file, _, number = line.rpartition(":")
    return (ROOT / file).read_text().splitlines()[int(number) - 1]


class Part(wiring.Component):
    x: In(1)
    o: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(self.x & ~self.x)  # the part
        return m


class Core(wiring.Component):
    o: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.part = part = Part()
        a = Signal()
        m.d.sync += a.eq(~a & part.o)  # the register
        m.d.comb += [part.x.eq(a), self.o.eq(part.o)]
        return m


ORIGINS = Origins(Core(), roots=[str(Path(__file__).parent)])


def _marked(mark):
    line, = (number for number, text in enumerate(Path(__file__).read_text().splitlines(), 1)
             if text.endswith(f"# {mark}"))
    return (f"{Path(__file__).name}:{line}",)


def test_names_of_cells_lead_to_lines():
    a = _number(ORIGINS, "a")
    assert ORIGINS.of(f"core.{a}_SB_DFF_Q_D_SB_LUT4_O").lines == _marked("the register")
    assert ORIGINS.of(f"$flatten\\core.\\{a}$12").signal == "a"
    # A port that a submodule drives.
    assert ORIGINS.of("core.o_LUT4_Z").lines == _marked("the part")
    o = _number(ORIGINS, "part.o")
    assert ORIGINS.of(f"core.{o}[3]").lines == _marked("the part")
    # An expression has lines, and no name.
    numbers = re.findall(r"cell \$not .*?connect \\Y \\(\w+)", ORIGINS.hardware.text, re.DOTALL)
    expressions = [ORIGINS.of(f"core.{number}_SB_LUT4_O") for number in numbers]
    assert {(each.signal, each.lines) for each in expressions} == {
        ("", _marked("the register")), ("", _marked("the part"))}
    assert ORIGINS.of("core.n99_SB_DFF_Q") is None
    assert ORIGINS.of("capture_SB_DFF_Q") is None


def test_hops_of_a_report():
    def step(kind, delay, begin, end=None, port="Q", **more):
        return {"type": kind, "delay": delay, "from": {"cell": begin, "port": port},
                "to": {"cell": end or begin, "port": "D"}, **more}

    a, o = (f"core.{_number(ORIGINS, name)}" for name in ("a", "part.o"))
    path = [step("clk-to-q", 0.5, f"{a}_DFF"), step("routing", 1, f"{a}_DFF", "add"),
            step("logic", 0.2, "add"), step("routing", 0.1, "add", "add_1", port="CO"),
            step("logic", 0.3, "add_1"),
            step("routing", 0.7, "add_1", "core.$x", net=o),
            step("setup", 0.25, "core.$x")]
    report = {"fmax": {"clk": {"achieved": 90}, "fast": {"achieved": 300}},
              "critical_paths": [{"from": "posedge fast", "to": "posedge fast", "path": []},
                                 {"from": "posedge clk", "to": "posedge clk", "path": path}]}
    found = hops(report, ORIGINS, carries=("CO",))
    assert [(hop.cell, hop.cells, hop.in_core) for hop in found] == [
        (f"{a}_DFF", 1, True), ("add", 2, False), ("core.$x", 1, True)]
    assert [hop.logic_ns for hop in found] == pytest.approx([0.5, 0.5, 0.25])
    assert [hop.routing_ns for hop in found] == pytest.approx([0, 1.1, 0.7])
    assert [hop.origin and hop.origin.signal for hop in found] == ["a", None, "part.o"]
    assert hops({"fmax": {}, "critical_paths": []}, ORIGINS) == []


def test_the_path_of_a_row(run, fakes, sketched, tmp_path):
    measured = json.loads(run("sweep", "-a", "toy", "-n", "8", "-t", "ecp5-25k", "--seeds", "2",
                              "--json").stdout)["rows"]
    save(measured, tmp_path / "rows.jsonl")
    fakes.forget()
    result = run("compare", "rows.jsonl:2", "--path")
    assert result.exit_code == 0
    assert fakes.jobs == []
    assert result.stdout.startswith(
        "toy/8 on ecp5-25k, seed 2: the same\nThe critical path, 102 MHz: 3.60 ns, of which 1.60 "
        "are logic and 2.00 (56 %) routing\n")
    assert "(3 cells of a carry chain)" in result.stdout
    compared, = json.loads(run("compare", measured[0]["seal"][:8], "--path", "--json").stdout)[
        "rows"]
    assert (compared["label"], compared["same"]) == ("toy/8 on ecp5-25k, seed 1", True)
    assert len(compared["path"]["hops"]) == 4


def test_what_limits_each_point(run, tmp_path):
    paths = ["a to b: 1.00 ns logic, 3.00 ns routing, 2 levels",
             "a to b: 2.00 ns logic, 4.00 ns routing, 3 levels",
             "chain's c to d to e: 1.00 ns logic, 9.00 ns routing, 1 levels"]
    save([*(row(seed=seed) | {"critical_path": path} for seed, path in enumerate(paths, 1)),
          row("beta", status="no_fit")], tmp_path / "rows.jsonl")
    point, = csv.DictReader(run("table", "limits", "--from", "rows.jsonl", "--format", "csv"
                                ).stdout.splitlines())
    assert (point["from … to"], point["seeds"]) == ("a … b", "2 of 3")
    assert [point[name] for name in ("levels", "logic", "routing")] == ["2.5", "1.5", "3.5"]
    assert point["share of routing"] == "70 %"
