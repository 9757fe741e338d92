"""Cores of others: a fake one goes the way that theirs go."""

import json
import shlex
from pathlib import Path

import pytest

from explore.points.rivals import rivals
from montgomery.verilog import description

#: Has the ports of montgomery_mul, around the example.
FAKE = Path(description.__file__).with_name("example.v").read_text() + """
module montgomery_mul #(parameter integer N_BITS = 2048) (
  input clk, rst, start, input [N_BITS-1:0] a_in, b_in, n_in, input [31:0] n_prime,
  output [N_BITS-1:0] result, output done);
  my_core #(.WIDTH(N_BITS)) core (.clk(clk), .rst(rst), .start(start), .x(a_in), .y(b_in), .m(n_in),
                                  .p(result), .done(done));
endmodule
"""


@pytest.fixture
def run(fakes, alone):
    return alone


def test_a_fake_rival_is_described_verified_and_measured(run, tmp_path):
    folder = tmp_path / "their" / "pynqz2-rsa-montgomery-accelerator"
    folder.mkdir(parents=True)
    (folder / "montgomery_mul.v").write_text(FAKE)
    file, sweep = run("new", "rivals", "--output", "their").stdout.splitlines()
    assert file == "their/rival_pynqz2.toml"
    program, *words = shlex.split(sweep)
    assert program == "montgomery"
    done = run(*words[:words.index("-n")], "--output", "out", "-n", "8", "-t", "ice40-hx8k",
               "--seeds", "2")
    assert done.returncode == 0, done.stderr
    rows = list(map(json.loads, (tmp_path / "out" / "rows.jsonl").read_text().splitlines()))
    assert [(row["arch"], row["seed"], row["status"], row["verified"], row["cycles_compute"])
            for row in rows] == [("rival_pynqz2", seed, "ok", "yes", 9 + 4) for seed in (1, 2)]
    rival, = (each for each in rivals() if each.name == "rival_pynqz2")
    facts = f"{rival.repository}, commit {rival.commit}; licence: {rival.licence}"
    assert {row["versions"]["origin"] for row in rows} == {facts}

    # What the user has written there stays.
    (tmp_path / file).write_text("mine")
    assert "is there already" in run("new", "rival_pynqz2", "--output", "their").stderr
    assert (tmp_path / file).read_text() == "mine"

    # Whoever has the rows needs no sources.
    (folder / "montgomery_mul.v").unlink()
    said = " ".join(run("table", "--from", "out").stdout.split())
    assert f"‡: not of this package: rival_pynqz2 ({facts})." in said
    assert "rival_pynqz2 ‡" in said
    assert "†" not in said
    named = run("recommend", "-n", "8", "--from", "out").stdout
    assert f"1. rival_pynqz2 of 8 bits spare=1 word_width=16 on ice40-hx8k, not of this package: " \
           f"{facts}" in named
    assert run("report", "--from", "out", "--output", "told", "--format", "markdown"
               ).returncode == 0
    assert "rival_pynqz2 ‡" in (tmp_path / "told" / "report.md").read_text()

    # They stay in the folder of a sweep of other cores.
    done = run("sweep", "-a", "mmm_mx_1d", "-n", "8", "-t", "ice40-hx8k", "--seeds", "1",
               "--output", "out")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "out" / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line)["arch"] for line in lines] == ["mmm_mx_1d", *["rival_pynqz2"] * 2]


def test_each_says_where_it_comes_from_and_how_to_fetch_it(run):
    said = run("list", "rivals").stdout
    assert len(rivals()) >= 3
    for rival in rivals():
        assert len(rival.commit) == 40
        assert f"{rival.repository}, commit {rival.commit[:7]}; licence: {rival.licence}" in said
        assert rival.fetch in said
