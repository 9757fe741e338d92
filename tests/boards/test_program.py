"""Programming with programs that stand in for the real ones, which need a board."""

import pytest

from boards.build import bitstream_name, program
from boards.catalogue import boards
from boards.port import BoardError

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


def test_the_boards_own_programmer_gets_the_bitstream(folder, fake, capfd):
    fake("ICEPROG", f"cp $1 {folder}/loaded; echo done")
    program(BOARD, folder)
    print("the answer", flush=True)
    assert (folder / "loaded").read_bytes() == b"bits"
    assert capfd.readouterr() == ("the answer\n", "done\n")


def test_openfpgaloader_is_told_which_board(folder, fake):
    fake("OPENFPGALOADER", f"echo $@ > {folder}/loaded")
    program(BOARD, folder, loader=True)
    assert (folder / "loaded").read_text() == f"-b ice40_generic {folder}/top.bin\n"


@pytest.mark.parametrize(("variable", "loader"), [("ICEPROG", False), ("OPENFPGALOADER", True)])
def test_a_programmer_that_fails_is_one_line(folder, fake, capfd, variable, loader):
    fake(variable, "echo \"Can't find iCE FTDI USB device\"; exit 2")
    with pytest.raises(BoardError, match=rf"^icebreaker was not programmed, and .*"
                                         rf"{variable.lower()} said why; attach the board"):
        program(BOARD, folder, loader=loader)
    assert capfd.readouterr() == ("", "Can't find iCE FTDI USB device\n")


def test_missing_programmers_say_how_to_get_them(folder, monkeypatch):
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("ICEPROG", raising=False)
    monkeypatch.delenv("OPENFPGALOADER", raising=False)
    with pytest.raises(BoardError, match=r"^iceprog is missing, which programs icebreaker; "
                                         r"install it, or give --loader for openFPGA"):
        program(BOARD, folder)
    with pytest.raises(BoardError, match=r"^openFPGALoader is missing, which programs "
                                         r"icebreaker; install it$"):
        program(BOARD, folder, loader=True)


def test_nothing_to_load_and_nothing_to_load_it_with(tmp_path):
    with pytest.raises(BoardError, match=r"^There is no .*top\.bin; 'montgomery board build "
                                         r"icebreaker' makes it$"):
        program(BOARD, tmp_path)
    (tmp_path / "top.bit").touch()
    with pytest.raises(BoardError, match=r"^No programmer is known for butterstick; load "):
        program(boards()["butterstick"], tmp_path)
