"""Nothing that a tool starts outlives the tool, its time limit or the process that wants it."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
from watching import gone, in_thread, soon

from explore.tools import launch
from explore.tools.find import launched
from explore.tools.processes import Processes

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")

#: A tool with a child and another one that left its session, which has a child too.
FAMILY = """
sleep 60 & echo $! >> pids
setsid sh -c 'sleep 61 & echo $! >> pids; echo $$ >> pids; trap "" TERM; wait; sleep 60' &
echo $$ >> pids
until [ "$(wc -l < pids)" = 4 ]; do sleep 0.01; done
touch begun
"""


@pytest.fixture
def family(tmp_path):
    """Return the processes of FAMILY once they are there, and see to their end."""
    found = []

    def pids():
        assert soon((tmp_path / "begun").exists)
        found[:] = map(int, (tmp_path / "pids").read_text().split())
        assert len(found) == 4
        return found

    yield pids
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def shell(script):
    return launched(["/bin/sh", "-c", script])


@linux
def test_what_a_tool_leaves_behind_ends_with_it(tmp_path, family):
    result = Processes().run(shell(FAMILY), folder=tmp_path, log=tmp_path / "log")
    assert result.returncode == 0
    assert gone(family())


@linux
def test_time_limit_ends_all(tmp_path, family):
    result = Processes().run(shell(FAMILY + "sleep 60"), folder=tmp_path, log=tmp_path / "log",
                             timeout_s=1)
    assert result.timed_out
    assert gone(family())


@linux
def test_stop_ends_all(tmp_path, family):
    processes = Processes()
    thread = in_thread(lambda: processes.run(shell(FAMILY + "sleep 60"), folder=tmp_path,
                                             log=tmp_path / "log"))
    pids = family()
    begin = time.monotonic()
    processes.stop()
    assert gone(pids)
    thread.join()
    assert time.monotonic() - begin < 1.5
    with pytest.raises(InterruptedError):
        processes.run(shell("true"), folder=tmp_path, log=tmp_path / "log")


@linux
@pytest.mark.parametrize(("number", "in_a_thread"), [
    (signal.SIGKILL, False), (signal.SIGKILL, True), (signal.SIGTERM, True), (signal.SIGINT, True)])
def test_end_of_the_parent_ends_all(tmp_path, family, number, in_a_thread):
    script = ("import sys, threading\nfrom pathlib import Path\n"
              "from explore.tools.processes import Processes\n"
              "from explore.tools.find import launched\n"
              "def run():\n"
              "    Processes().run(launched(['/bin/sh', '-c', sys.argv[1]]), folder=Path(),\n"
              "                    log=Path('log'))\n")
    script += "threading.Thread(target=run).start()" if in_a_thread else "run()"
    parent = subprocess.Popen([sys.executable, "-c", script, FAMILY + "sleep 60"], cwd=tmp_path,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                              stderr=subprocess.DEVNULL)
    pids = family()
    parent.send_signal(number)
    if in_a_thread and number == signal.SIGINT:
        # Python waits for its threads then, and does not for a second one.
        time.sleep(0.2)
        parent.send_signal(number)
    parent.wait()
    assert soon(lambda: gone(pids), 2)


@linux
def test_supervisor_that_is_killed_takes_its_tool_along(tmp_path):
    process = subprocess.Popen(shell("echo $$ > pid; exec sleep 60"), cwd=tmp_path)
    assert soon(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    tool = int((tmp_path / "pid").read_text())
    process.kill()
    process.wait()
    assert soon(lambda: gone([tool]), 2)


@linux
def test_process_that_does_not_listen_is_killed_with_its_descendants(tmp_path, family):
    processes = Processes()
    thread = in_thread(lambda: processes.run(
        ["/bin/sh", "-c", f"trap '' TERM; {FAMILY} sleep 60; sleep 60"],
        folder=tmp_path, log=tmp_path / "log"))
    pids = family()
    processes.stop()
    # No supervisor waits until they are gone.
    assert soon(lambda: gone(pids), 2)
    thread.join()


@pytest.mark.parametrize(("script", "returncode"), [
    ("exit 0", 0), ("exit 255", 255), *(
        (f"kill -{number} $$", -number) for number in (
            signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE, signal.SIGUSR1))])
def test_ends_are_passed_on(tmp_path, script, returncode):
    # SIGPIPE is ignored by Python, and so by what it starts.
    expected = 0 if returncode == -signal.SIGPIPE else returncode
    result = Processes().run(shell(script), folder=tmp_path, log=tmp_path / "log")
    assert result.returncode == expected
    assert not list(tmp_path.glob("core*"))


@linux
def test_tool_whose_parent_is_gone_does_not_run():
    result = subprocess.run([sys.executable, launch.__file__, "1", "exec", "/bin/echo", "hello"],
                            capture_output=True)
    assert (result.returncode, result.stdout) == (-9, b"")
