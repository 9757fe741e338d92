"""``montgomery list boards``, ``board build`` and ``program``, from the command line."""

import json
from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from click.testing import CliRunner

from boards.catalogue import boards
from boards.uart import Receiver, Transmitter, divisor
from explore.cli import cli


@pytest.fixture
def board(tmp_path, monkeypatch):
    """Return a function that runs a command for boards in an empty folder, with a new store."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONTGOMERY_STORE", str(tmp_path / "store"))
    return lambda *arguments: CliRunner().invoke(cli, ["board", *map(str, arguments)])


def refusal(result):
    """Return the one line by which a command refuses."""
    assert (result.exit_code, result.stdout) == (2, "")
    line, = result.stderr.splitlines()
    assert line.startswith("montgomery: ")
    return line.removeprefix("montgomery: ")


def test_boards_are_listed_with_what_hinders_others(tmp_path):
    title, *lines = CliRunner().invoke(cli, ["list", "boards"]).stdout.splitlines()
    usable = [name for name, each in boards().items() if not each.obstacle]
    assert title == "Boards"
    assert [line.split()[0] for line in lines[:len(usable)]] == usable
    assert next(line for line in lines if "ulx3s_85f" in line).split() == [
        "ulx3s_85f", "ecp5-85k", "BG381", "25", "MHz", "UART"]
    assert lines[len(usable)] == "  No bitstream can be built for"
    assert len(lines) == len(boards()) + 1
    assert any("its FPGA must be of ecp5 or ice40" in line for line in lines)
    listed = json.loads(CliRunner().invoke(cli, ["list", "boards", "--json"]).stdout)["boards"]
    assert listed["icebreaker"]["target"] == "ice40-up5k"
    assert listed["icebreaker"]["adapter"] is None
    assert listed["upduino_v3"]["adapter"]["rx"] == "15"


class SerialLine(wiring.Component):
    """The two ends of a serial line, without a core between them."""

    def __init__(self, parameters, *, frequency_hz, baud, more):
        self._divisor = divisor(frequency_hz, baud)
        super().__init__({"rx": In(1, init=1), "tx": Out(1, init=1), "busy": Out(1),
                          "error": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = Receiver(self._divisor)
        m.submodules.transmitter = transmitter = Transmitter(self._divisor)
        m.d.comb += [receiver.rx.eq(self.rx), self.tx.eq(transmitter.tx),
                     transmitter.i.payload.eq(receiver.o.payload),
                     transmitter.i.valid.eq(receiver.o.valid)]
        return m


@pytest.mark.thorough
def test_the_serial_line_does_not_limit_the_clock(board, monkeypatch):
    """Cores reach 60 MHz and more on the slowest FPGA. What is built goes where it is wanted."""
    monkeypatch.setattr("explore.commands.board.Top", SerialLine)
    arguments = ("build", "icebreaker", "-a", "mmm_mx_1d", "-n", 16, "--clock", 60, "--json")
    built = board(*arguments, "--output", "one")
    assert built.exit_code == 0, built.stderr
    # Tools that run for the first time say so before.
    assert built.stderr.endswith("bitstream: mmm_mx_1d for icebreaker at 60 MHz …\n")
    record = json.loads(built.stdout)
    assert record["fmax_mhz"] > 60
    assert (record["board"], record["width"], record["frequency_hz"], record["path"]) == (
        "icebreaker", 16, 60_000_000, "one/top.bin")
    bits = Path(record["path"]).read_bytes()
    assert len(bits) == record["bytes"] > 100_000
    again = board(*arguments)
    assert again.stderr == ""
    assert json.loads(again.stdout) == {**record, "path": "mmm_mx_1d_16_icebreaker/top.bin"}
    assert Path("mmm_mx_1d_16_icebreaker/top.bin").read_bytes() == bits


def test_only_what_was_built_is_programmed(board, tmp_path):
    (tmp_path / "empty").mkdir()
    said = {"board": "icebreaker", "kind": "multiplier", "arch": "toy", "width": 8, "params": {}}
    for content in (None, "", "[]", "3", "[" * 5000, "{}", '{"board": "icebreaker"}',
                    json.dumps(said | {"kind": []}),
                    json.dumps({name: said[name] for name in said if name != "width"})):
        if content is not None:
            (tmp_path / "empty" / "board.json").write_text(content)
        assert refusal(board("program", "empty")) == (
            "empty must hold a bitstream with its board.json; 'montgomery board build' writes "
            "both")
    for name in (3, [], None, "icebraker"):
        (tmp_path / "empty" / "board.json").write_text(json.dumps(said | {"board": name}))
        assert refusal(board("program", "empty")).startswith("Unknown board ")
    (tmp_path / "empty" / "board.json").write_text(json.dumps(said))
    assert refusal(board("program", "empty")) == (
        "There is no empty/top.bin; 'montgomery board build icebreaker' makes it")
