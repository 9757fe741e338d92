"""Cores against their models in simulation, and proofs."""

import dataclasses
import json
import re

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from console import assert_refused
from toy import Toy

from explore.tools.compiler import find_compiler
from montgomery.core import Signature


@pytest.fixture
def run(run, shared_folder, monkeypatch):
    """Run commands with one store, in which the real flow is tested with the same cores."""
    monkeypatch.setenv("MONTGOMERY_STORE", str(shared_folder / "store-of-the-real-flow"))
    return run


def test_verify_agrees(run):
    result = run("verify", "-a", "toy", "-n", "12", "-p", "word_width=4", "--vectors", "2")
    assert result.exit_code == 0
    assert "toy with 12 bits agrees with its model" in result.stdout
    report = json.loads(run("verify", "-a", "toy", "-n", "12", "--vectors", "2", "--json").stdout)
    assert report["ok"]
    assert report["constant_time"]
    assert set(report) >= {"arch", "width", "params", "vectors", "cycles", "cycles_per_second"}


def test_verify_tells_of_a_mismatch(run):
    assert_refused(run("verify", "-a", "wrong", "-n", "8", "--vectors", "1"),
                   "wrong with 8 bits fails: x=", status=1)
    result = run("verify", "-a", "wrong", "-n", "8", "--vectors", "1", "--json")
    assert result.exit_code == 1
    assert not json.loads(result.stdout)["ok"]


def test_one_multiplication(run):
    operands = ("-n", "16", "--operands", "x=0x1234,y=777,modulus=0xfff1")
    expected = 0x1234 * 777 * pow(1 << 16, -1, 0xfff1) % 0xfff1
    result = run("verify", "-a", "toy", *operands)
    assert result.exit_code == 0
    assert f"from simulation and model: {expected:#x}\n" in result.stdout
    report = json.loads(run("verify", "-a", "toy", *operands, "--json").stdout)
    assert report["simulation"] == report["model"] == hex(expected)
    assert report["cycles"] == {"load": 6, "compute": 18, "unload": 2}
    assert_refused(run("verify", "-a", "wrong", *operands),
                   f"simulation gives {expected ^ 1:#x}, the model {expected:#x}", status=1)


def test_a_mismatch_comes_with_all_it_takes_to_look_into_it(run, tmp_path):
    result = run("verify", "-a", "wrong", "-n", "8", "--seed", "3", "--vcd", "bad.vcd", "--json")
    report = json.loads(result.stdout)
    assert int(report["expected"], 16) == int(report["found"], 16) ^ 1
    assert (report["word"], report["alone"]) == (0, True)
    assert report["command"].startswith("montgomery verify -a wrong -n 8 --operands x=0x")
    assert report["waveform"] == "bad.vcd"
    assert "$enddefinitions" in (tmp_path / "bad.vcd").read_text()
    again = run(*report["command"].split()[1:])
    assert again.exit_code == 1
    assert f"the model {report['expected']}" in again.stderr


def test_a_wrong_model_is_told_before_the_hardware_is_blamed(run, tmp_path):
    for mode, compute in (
            (["--vcd", "none.vcd"], "compute(x=0x0, y=0x0, modulus=0x3) = 0x1, but x * y / R mod "
             "modulus = 0x0"),
            (["--method", "full"], "compute(x=0x0, y=0x0, modulus=0x3) = 0x1"),
            (["--method", "exhaustive", "-j1"], "compute(x=0x0, y=0x0, modulus=0xff) = 0x1"),
            (["--operands", "x=3,y=4,modulus=5"], "compute(x=0x3, y=0x4, modulus=0x5) = ")):
        result = run("verify", "-a", "mistaken", "-n", "8", *mode)
        assert_refused(result, f"mistaken with 8 bits fails: The model is wrong: {compute}",
                       status=1)
        assert "repeat it with: montgomery verify -a mistaken -n 8 --operands x=0x" in result.stderr
    report = json.loads(run("verify", "-a", "mistaken", "-n", "8", "--json").stdout)
    assert report["alone"]
    assert not {"expected", "found"} & set(report)
    assert not (tmp_path / "none.vcd").exists()


def test_a_waveform_of_one_multiplication(run, tmp_path):
    result = run("verify", "-a", "toy", "-n", "8", "--operands", "x=3,y=4,modulus=5",
                 "--vcd", "one.vcd")
    assert (result.exit_code, result.stderr) == (0, "Waveform: one.vcd\n")
    assert "total" in (tmp_path / "one.vcd").read_text()


def test_verify_exhaustively(run):
    result = run("verify", "-a", "toy", "-n", "4", "--method", "exhaustive", "-j", "1")
    assert result.exit_code == 0
    assert "multiplications: 679" in result.stdout
    report = json.loads(run("verify", "-a", "wrong", "-n", "4", "--method", "exhaustive", "-j", "1",
                            "--json").stdout)
    assert not report["ok"]
    assert ",modulus=" in report["command"]


def test_verify_an_exponentiation(run):
    report = json.loads(run("verify", "-a", "toy", "-n", "24", "--method", "full", "--json").stdout)
    assert report["ok"]
    assert report["exponent_bits"] == 24
    assert report["vectors"] >= 24 + 1 + 3
    assert report["clocks"] > report["vectors"] * report["cycles"]["compute"]


def test_verify_without_a_compiler_says_so(run, monkeypatch):
    monkeypatch.setenv("CXX", "")
    result = run("verify", "-a", "toy", "-n", "8")
    assert result.exit_code == 0
    assert "simulated by Amaranth's simulator" in result.stdout
    assert "no C++ compiler was found" in result.stderr
    for more in (("--post-synth", "ice40-hx8k"), ("--method", "mutants", "--faults", "5")):
        assert_refused_after_advice(run("verify", "-a", "toy", "-n", "8", *more))


def assert_refused_after_advice(result):
    assert result.exit_code == 2
    assert "C++ compiler; install g++ or clang" in result.stderr.splitlines()[-1]


@pytest.mark.thorough
@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
def test_verify_the_netlist_of_a_target(run):
    # README has the netlist of a core that is right.
    report = json.loads(run("verify", "-a", "wrong", "-n", "6", "--post-synth", "ice40-hx8k",
                            "--json").stdout)
    assert not report["ok"]
    assert "--post-synth ice40-hx8k" in report["command"]


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
def test_verify_verification(run):
    result = run("verify", "-a", "toy", "-n", "6", "--method", "mutants", "--faults", "2")
    assert result.exit_code == 0, result.stderr
    found, different = map(int, re.search(r"verification finds (\d+) of the (\d+) faults",
                                          result.stdout).groups())
    assert 0 < found == different <= 2
    assert "faults put into the core, one at a time: 2\n" in result.stdout
    report = json.loads(run("verify", "-a", "toy", "-n", "6", "--method", "mutants", "--faults",
                            "15", "--json").stdout)
    fates = ("killed", "missed", "equivalent", "undetected")
    assert sum(report[fate] for fate in fates) == report["mutants"] == 15
    assert report["killed"] > max(9, 9 * report["missed"])
    # There is nothing to be counted of a core that is wrong itself.
    result = run("verify", "-a", "wrong", "-n", "6", "--method", "mutants", "--faults", "2")
    assert_refused(result, "wrong with 6 bits fails: x=", status=1)
    assert "repeat it with: montgomery verify -a wrong -n 6 --operands x=" in result.stderr


class Impatient(wiring.Component):
    """Offers a word for three clocks, whether it is taken or not."""

    def __init__(self):
        super().__init__(Signature(2))

    def elaborate(self, platform):
        m = Module()
        count = Signal(3)
        m.d.sync += count.eq(count + 1)
        m.d.comb += [self.i.ready.eq(1), self.o.valid.eq(count[2] & ~(count[0] & count[1]))]
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hasty(Toy):
    """A core that breaks the rule of streams."""

    def create(self):
        return Impatient()


@pytest.fixture
def hasty(registry):
    registry["hasty"] = Hasty


def test_a_core_is_proved(run):
    result = run("verify", "--method", "prove", "-a", "toy", "-n", "4", "-p", "word_width=4")
    assert result.exit_code == 0
    assert result.stdout.count("proved by PDR") == 2
    assert "width=4 word_width=4" in result.stdout


def test_a_core_that_breaks_the_rule_is_refuted(run, hasty, tmp_path):
    result = run("verify", "--method", "prove", "-a", "hasty", "--output", tmp_path, "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert not document["ok"]
    valid, payload = document["proofs"]
    assert (valid["verdict"], payload["verdict"]) == ("refuted", "proved")
    assert [clock["o_valid"] for clock in valid["counterexample"]["clocks"]][-2:] == [1, 0]
    assert "hasty width=4 word_width=1 violates 'valid stays until ready'" in result.stderr
    assert "o_valid=0" in result.stderr
    rows = list(map(json.loads, (tmp_path / "proofs.jsonl").read_text().splitlines()))
    assert [row["verdict"] for row in rows] == ["refuted", "proved"]
    # What is known of other cores stays.
    done = run("verify", "--method", "prove", "-a", "toy", "-n", "4", "--output", tmp_path)
    assert done.exit_code == 0
    both = list(map(json.loads, (tmp_path / "proofs.jsonl").read_text().splitlines()))
    assert [row for row in both if row["name"] == "hasty"] == rows
    assert len(both) == 4
    assert "refuted: 8 clocks" in (tmp_path / "proofs.md").read_text()
