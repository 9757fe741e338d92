"""The files by which processes tell what they do on a store."""

import multiprocessing
import os
import time

import pytest
from watching import soon

from explore.store.status import Job, Status, StatusFile, now, statuses

STATUS = Status(pid=7, host="here", command=("montgomery", "sweep"), started=now(), written=now(),
                done=1, total=4, stored=1, failed=1, forecast="2 rows", seconds_left=1.5, running=(
                    Job(stage="place", label="toy/8", since=now(), host="there", waits=True),))


def test_a_status_is_seen_while_it_lasts(tmp_path):
    status = STATUS
    with StatusFile(tmp_path, lambda: status) as file:
        assert soon(lambda: statuses(tmp_path) == [STATUS])
        status = Status(**{**vars(STATUS), "done": 2})
        begin = time.monotonic()
        for _ in range(100):
            file.changed()
        assert soon(lambda: statuses(tmp_path) == [status])
        assert time.monotonic() - begin < 3
        # Those who look do not disturb it.
        before = sorted(os.listdir(tmp_path / "running"))
        statuses(tmp_path)
        assert sorted(os.listdir(tmp_path / "running")) == before
    assert statuses(tmp_path) == []
    assert os.listdir(tmp_path) == []


def test_the_file_is_replaced_once_in_an_interval(tmp_path):
    asked = []
    with StatusFile(tmp_path, lambda: asked.append(None) or STATUS) as file:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            file.changed()
    assert len(asked) <= 2


def _run_until_killed(path):
    with StatusFile(path, lambda: STATUS):
        time.sleep(60)


def test_a_killed_process_runs_no_longer(tmp_path):
    process = multiprocessing.get_context("fork").Process(target=_run_until_killed,
                                                          args=(tmp_path,))
    process.start()
    assert soon(lambda: statuses(tmp_path))
    # That another one begins and ends disturbs it as little.
    with StatusFile(tmp_path, lambda: STATUS):
        assert soon(lambda: len(statuses(tmp_path)) == 2)
    assert len(statuses(tmp_path)) == 1
    process.kill()
    process.join()
    assert soon(lambda: statuses(tmp_path) == [])
    assert os.listdir(tmp_path / "running")
    with StatusFile(tmp_path, lambda: STATUS):
        assert soon(lambda: statuses(tmp_path))
        assert len(os.listdir(tmp_path / "running")) == 2
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"schema": 1}', '{"schema": 2}',
                                  "[" * 100_000, '{"schema": 1, "running": [7]}'])
def test_other_contents_are_no_status(tmp_path, text):
    with StatusFile(tmp_path, lambda: STATUS):
        assert soon(lambda: statuses(tmp_path))
        file, = (tmp_path / "running").glob("*.json")
        file.write_text(text)
        assert statuses(tmp_path) == []


@pytest.mark.parametrize("make", [lambda path: path.write_text(""),
                                  lambda path: path.symlink_to("/etc")])
def test_a_store_that_takes_no_file_disturbs_nobody(tmp_path, make):
    make(tmp_path / "running")
    with StatusFile(tmp_path, lambda: STATUS) as file:
        file.changed()
        assert statuses(tmp_path) == []
    assert os.listdir(tmp_path) == ["running"]
