import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from watching import gone, soon

from explore.errors import DiskFull, ToolMissing
from explore.outcome import Failure, Retry, StageFailed, Status
from explore.pipeline.worker import Workers
from explore.tools.processes import Processes


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture
def processes():
    made = Processes()
    yield made
    made.stop()


@pytest.fixture
def workers(processes):
    made = Workers(processes)
    yield made
    made.close()


@pytest.fixture
def call(workers):
    def call(function, timeout_s=None, **arguments):
        return workers.call(f"calls:{function}", arguments, timeout_s=timeout_s)
    return call


def failure(call, *arguments, **more):
    with pytest.raises(StageFailed) as raised:
        call(*arguments, **more)
    return raised.value.failure


def test_a_worker_stays(call):
    first = call("add", a=1, b=2)
    assert first["sum"] == 3
    assert first["pid"] != os.getpid()
    assert call("add", a="x", b="y") == {"sum": "xy", "pid": first["pid"]}


def test_what_a_function_prints_and_reads_is_not_the_conversation(call):
    assert call("talk") == "said"
    assert call("add", a=0, b=0)["sum"] == 0


@pytest.mark.parametrize(("how", "error", "message"), [
    ("disk", DiskFull, "Disk is full: "), ("room", DiskFull, "Disk is full: "),
    ("missing", ToolMissing, "none")])
def test_what_no_stage_can_help_is_raised(call, how, error, message):
    with pytest.raises(error, match=f"^{message}"):
        call("fail", how=how)


def test_failure_of_a_stage_is_the_same_here(call):
    assert failure(call, "fail", how="stage") == Failure(
        status=Status.NO_FIT, message="too large", retry=Retry.NEVER, log="lines", limit_s=3.0)


@pytest.mark.parametrize(("how", "status", "retry", "message"), [
    ("value", Status.TOOL_ERROR, Retry.ALWAYS, "ValueError: it is wrong"),
    ("exit", Status.TOOL_ERROR, Retry.ALWAYS, "SystemExit: enough"),
    ("denied", Status.TOOL_ERROR, Retry.ALWAYS, "PermissionError: [Errno 13] denied"),
    ("memory", Status.OOM, Retry.ALWAYS, "fail ran out of memory"),
])
def test_exceptions(call, how, status, retry, message):
    found = failure(call, "fail", how=how)
    assert (found.status, found.retry) == (status, retry)
    # With the line of the function, but for want of memory, where any line is as good.
    where = "" if status == Status.OOM else r" \(calls\.py, line \d+\)"
    assert re.fullmatch(re.escape(message) + where, found.message)
    assert "calls.py" in found.log
    # The worker goes on.
    assert call("add", a=1, b=1)["sum"] == 2


@pytest.mark.parametrize(("how", "status", "message"), [
    ("kill", Status.OOM, "end ran out of memory"),
    ("crash", Status.TOOL_ERROR, "end was ended by SIGSEGV"),
    ("exit", Status.TOOL_ERROR, "end ended with status 1"),
    ("slowly", Status.TOOL_ERROR, "end ended with status 3"),
])
def test_ends_of_a_worker(call, how, status, message):
    call("add", a=1, b=1)
    found = failure(call, "end", how=how)
    assert (found.status, found.message) == (status, message)
    # What it printed in an earlier call is not part of this.
    assert found.log == "last words"
    assert call("add", a=1, b=1)["sum"] == 2


def test_time_limit(call):
    begin = time.monotonic()
    found = failure(call, "wait", timeout_s=0.8, seconds=60)
    assert (found.status, found.retry, found.limit_s) == (Status.TIMEOUT, Retry.LONGER, 0.8)
    assert time.monotonic() - begin < 3
    assert call("add", timeout_s=float("inf"), a=1, b=1)["sum"] == 2
    assert call("add", timeout_s=1e10, a=1, b=1)["sum"] == 2


def test_worker_that_died_while_it_waited(call):
    worker = call("add", a=1, b=1)["pid"]
    os.kill(worker, signal.SIGKILL)
    assert soon(lambda: gone([worker]))
    assert call("add", a=1, b=1)["sum"] == 2


def test_stop_interrupts(call, processes, tmp_path):
    raised = []

    def run():
        try:
            call("wait", seconds=60, file=str(tmp_path / "pid"))
        except InterruptedError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert soon((tmp_path / "pid").exists)
    processes.stop()
    thread.join()
    assert raised


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_worker_ends_with_the_process_that_wants_it(tmp_path):
    script = ("from explore.tools.processes import Processes\n"
              "from explore.pipeline.worker import Workers\n"
              "workers = Workers(Processes())\n"
              "workers.call('calls:wait', {'seconds': 60, 'file': 'pid'}, timeout_s=None)")
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env=environment())
    assert soon(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    worker = int((tmp_path / "pid").read_text())
    parent.kill()
    parent.wait()
    assert soon(lambda: gone([worker]), 2)


def test_no_module_is_imported_unasked(workers, tmp_path, monkeypatch):
    folder = tmp_path
    monkeypatch.syspath_prepend(folder)
    (folder / "sitecustomize.py").write_text("import sys\nsys.unasked = True\n")
    (folder / "asking.py").write_text("import sys\n\n\ndef ask():\n"
                                      "    return hasattr(sys, 'unasked')\n")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    assert workers.call("asking:ask", {}, timeout_s=None) is False
