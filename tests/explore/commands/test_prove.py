import dataclasses
import json

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from console import assert_refused
from toy import Toy

from montgomery.core import Signature


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


def test_a_file_that_holds_no_proofs_is_not_replaced(run, tmp_path):
    (tmp_path / "proofs.jsonl").write_text("mine\n")
    assert_refused(run("verify", "--method", "prove", "-a", "toy", "--output", tmp_path),
                   "proofs.jsonl must hold lines of JSON with name; remove it")
    assert (tmp_path / "proofs.jsonl").read_text() == "mine\n"
