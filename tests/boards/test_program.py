"""Programming with programs that stand in for the real ones, which need a board."""

import time
from pathlib import Path

import pytest

from boards.build import bitstream_name
from boards.catalogue import boards
from boards.program import ProgrammerError, program

BOARD = boards()["icebreaker"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / bitstream_name(BOARD)).write_bytes(b"bits")
    return tmp_path


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Return a function that puts a shell script in the place of a programmer."""
    def make(variable, script):
        path = tmp_path / variable.lower()
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv(variable, str(path))
    return make


def test_the_boards_own_programmer_gets_the_bitstream(folder, fake):
    fake("ICEPROG", f"cp $1 {folder}/loaded; echo done")
    said = []
    program(BOARD, folder, show=said.append)
    assert (folder / "loaded").read_bytes() == b"bits"
    assert said == ["done"]


def test_openfpgaloader_is_told_which_board(folder, fake):
    fake("OPENFPGALOADER", f"echo $@ > {folder}/loaded")
    program(BOARD, folder, loader=True)
    assert (folder / "loaded").read_text() == f"-b ice40_generic {folder}/top.bin\n"


@pytest.mark.parametrize(("script", "message"), [
    ("echo init..; echo \"Can't find iCE FTDI USB device\"; echo ABORT.; exit 2",
     r"^No icebreaker was found \(Can't find iCE FTDI USB device\); attach it, and try again$"),
    ("echo 'unable to open ftdi device: -4 (usb_open() failed)'; exit 1",
     r"^No permission to use icebreaker \(unable to open ftdi .*\); add a udev rule for its USB "
     r"bridge, and attach it again$"),
    ("echo 'flash ID: 0xFF'; echo 'VERIFY ERROR'; exit 3",
     r"^icebreaker was not programmed: VERIFY ERROR$"),
    ("exit 3", r"^icebreaker was not programmed: its programmer failed$")])
def test_a_programmer_that_fails_is_one_line(folder, fake, script, message):
    fake("ICEPROG", script)
    with pytest.raises(ProgrammerError, match=message):
        program(BOARD, folder)


def _running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _gone(file):
    """Return whether the processes that a file lists end, which were killed."""
    pids, end = file.read_text().split(), time.monotonic() + 5
    while any(map(_running, pids)) and time.monotonic() < end:
        time.sleep(0.01)
    return not any(map(_running, pids))


def test_a_programmer_that_hangs_is_ended_with_what_it_started(folder, fake, monkeypatch):
    monkeypatch.setattr("boards.program._LIMIT_S", 0.6)
    fake("OPENFPGALOADER", f"sleep 60 & echo $! $$ > {folder}/pids; echo begun; wait")
    with pytest.raises(ProgrammerError, match=r"^icebreaker was not programmed: its programmer did "
                                              r"not end in 0\.01 minutes; attach the board again"):
        program(BOARD, folder, loader=True)
    assert _gone(folder / "pids")


def test_an_interrupted_programmer_ends_with_what_it_started(folder, fake):
    def interrupt(line):
        raise KeyboardInterrupt

    fake("OPENFPGALOADER", f"sleep 60 & echo $! $$ > {folder}/pids; echo begun; wait")
    with pytest.raises(KeyboardInterrupt):
        program(BOARD, folder, loader=True, show=interrupt)
    assert _gone(folder / "pids")


def test_missing_programmers_say_how_to_get_them(folder, monkeypatch):
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("ICEPROG", raising=False)
    monkeypatch.delenv("OPENFPGALOADER", raising=False)
    with pytest.raises(ProgrammerError, match=r"^iceprog is missing, which programs the board; "
                                              r"install fpga-icestorm, or give --loader"):
        program(BOARD, folder)
    with pytest.raises(ProgrammerError, match=r"^openFPGALoader is missing, which programs the "
                                              r"board; install it from your system's packages"):
        program(BOARD, folder, loader=True)


def test_nothing_to_load_and_nothing_to_load_it_with(tmp_path):
    with pytest.raises(ProgrammerError, match=r"^There is no .*top\.bin; 'montgomery board build "
                                              r"icebreaker' makes it$"):
        program(BOARD, tmp_path)
    (tmp_path / "top.bit").touch()
    with pytest.raises(ProgrammerError, match=r"^No programmer is known for butterstick; load "):
        program(boards()["butterstick"], tmp_path)
