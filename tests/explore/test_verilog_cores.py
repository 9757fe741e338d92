"""Cores in Verilog in the commands, as the text of docs/verilog.md says."""

import json
import re
from pathlib import Path

import pytest

from montgomery.verilog import description

TEXT = (Path(__file__).parents[2] / "docs" / "verilog.md").read_text()
EXAMPLE = Path(description.__file__).with_name("example.toml").read_text()

#: Streams around the example, whose operands come with the modulus in words of 8 bits.
STREAMS = """
module streams #(parameter WIDTH = 8) (
  input clk, rst_n, in_valid, output in_ready, input [7:0] in_data,
  output reg out_valid, input out_ready, output [7:0] out_data);
  localparam WORDS = (WIDTH + 7) / 8;
  reg [24*WORDS-1:0] operands; reg [8*WORDS-1:0] result; reg [15:0] count; reg busy, start;
  wire done; wire [WIDTH-1:0] p;
  my_core #(.WIDTH(WIDTH)) core (.clk(clk), .rst(!rst_n), .start(start), .x(operands),
    .y(operands[8*WORDS +: WIDTH]), .m(operands[16*WORDS +: WIDTH]), .p(p), .done(done));
  assign in_ready = !busy && !out_valid, out_data = result;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) {busy, start, out_valid, count} <= 0;
    else begin
      start <= 0;
      if (in_valid && in_ready) begin
        operands <= {in_data, operands} >> 8;
        count <= count + 1;
        if (count == 3 * WORDS - 1) begin start <= 1; busy <= 1; count <= 0; end
      end
      if (busy && done) begin busy <= 0; result <= p; out_valid <= 1; end
      if (out_valid && out_ready) begin
        result <= result >> 8;
        count <= count + 1;
        if (count == WORDS - 1) begin out_valid <= 0; count <= 0; end
      end
    end
endmodule
"""


@pytest.fixture
def run(fakes, alone, tmp_path):
    """Run a command in a folder with the example as my_core.toml."""
    for suffix in (".toml", ".v"):
        text = Path(description.__file__).with_name(f"example{suffix}").read_text()
        (tmp_path / f"my_core{suffix}").write_text(text)
    return alone


def test_commands_of_the_text_work(run, fakes, tmp_path):
    for name in ("my_core.toml", "my_core.v"):
        (tmp_path / name).unlink()
    new, verify, sweep = (line.split() for line in
                          re.findall(r"^    montgomery (.*)", TEXT, re.MULTILINE))
    assert run(*new).stdout.split() == ["my_core.toml", "my_core.v",
                                                       "test_my_core.py"]
    assert "my_core with 32 bits agrees" in run(*verify, "--vectors", "1").stdout
    row, = json.loads(run(*sweep, "--seeds", "1", "--json").stdout)["rows"]
    assert (row["arch"], row["status"], row["cycles_compute"]) == ("my_core", "ok", 32 + 4)
    assert fakes.jobs == ["nextpnr-ice40 1", "yosys -"]
    tested = run("-p", "no:cacheprovider", "-n", "0", "-k", "8", "test_my_core.py",
                 program="pytest")
    assert "1 passed" in tested.stdout


def test_the_text_has_the_description_and_its_keys():
    assert "".join(f"    {line}\n" if line else "\n" for line in EXAMPLE.splitlines()) in TEXT
    rows = re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE)
    keys = {key for row in rows for key in re.findall(r"`\[?(\w+)\]?`", row)}
    assert keys == {key.rstrip("!") for key in description._form({"streams": {"k": {}}})}


def test_a_core_with_streams_is_connected(run, tmp_path):
    (tmp_path / "streams.v").write_text(STREAMS)
    streams = re.search(r"    \[streams.i\](?:\n    .*)+", TEXT)[0].replace("\n    ", "\n").strip()
    (tmp_path / "streams.toml").write_text(
        'kind = "multiplier"\nsources = ["*.v"]\ntop = "streams"\nr = "2 ** width"\n'
        '[parameters]\nWIDTH = "width"\n[ports]\nclock = "clk"\nreset = "!rst_n"\n' + streams)
    done = run("verify", "-a", "streams.toml", "-n", "9", "-p", "word_width=8")
    assert "streams with 9 bits agrees with its model" in done.stdout, done.stderr


@pytest.mark.parametrize(("command", "old", "new", "status", "says"), [
    ("verify", "total - m :", "total + m :", 1, "x=0xfe y=0xfe modulus=0xff: expected 0x1, found"),
    ("verify", "count + 1", "count + (m[7:6] != 2)", 1, "no word went in"),
    ("verify", "even = product", "even = even[0] ^ product", 2, "has a combinational loop through"),
    ("list", "my_core.v", "none.v", 2, "my_core.toml: there is no file"),
])
def test_faults_are_told_in_a_line(run, tmp_path, command, old, new, status, says):
    for path in (tmp_path / "my_core.toml", tmp_path / "my_core.v"):
        path.write_text(path.read_text().replace(old, new))
    if command == "list":
        done = run(command, MONTGOMERY_CORES="my_core.toml")
    else:
        done = run(command, "-a", "my_core.toml", "-n", "8")
    line = done.stderr.splitlines()[-1]
    assert (done.returncode, says in line) == (status, True), done.stderr
    if "repeat it with" in line:
        again = run(*line.rpartition("repeat it with: montgomery ")[2].split())
        assert (again.returncode, "my_core with 8 bits fails" in again.stderr) == (1, True)
