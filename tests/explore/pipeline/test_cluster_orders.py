"""Whatever workers do, and in whatever order, each task of a sweep ends: a scheduler on paper."""

import asyncio
import contextlib
import dataclasses
import itertools
import threading
from concurrent.futures import CancelledError
from types import SimpleNamespace
from unittest import mock

import pytest
from distributed import KilledWorker
from hypothesis import settings, stateful, strategies
from watching import soon

from explore.errors import WrongSite
from explore.outcome import Outcome, StageFailed
from explore.pipeline.cluster import ClusterExecutor, executor, group, worker
from explore.pipeline.executor import Abandoned, Task
from explore.pipeline.stage import Lane
from explore.pipeline.stages import stages

OUTCOME = {"outcome": Outcome(), "files": {}}


class Sent:
    """What a client knows of a task, as ``distributed.Future`` does."""

    def __init__(self, key, workers, resources):
        self.key, self.workers, self.status = key, workers, "pending"
        self.memory = (resources or {}).get("MEMORY", 0)
        self._gathered = threading.Event()

    def add_done_callback(self, function):
        self._tell = function

    def end(self, status, result, gathered=True):
        """End a task, whose result can be had at once, or else when the task ends again."""
        self.status, self._result = status, result
        if gathered:
            self._gathered.set()
        self._tell(self)

    def result(self, timeout):
        self._gathered.wait(timeout)
        if isinstance(self._result, BaseException):
            raise self._result
        return self._result

    def release(self):
        pass


class Dask:
    """A scheduler, its workers by their addresses, and the client of each sweep."""

    def __init__(self):
        self.workers, self.unlike, self.silent, self.clients = {}, set(), set(), []
        self._folders = itertools.count()

    def join(self, address, *, equal=True, memory=None):
        folder = f"{address}-{next(self._folders)}"
        self.workers[address] = {"local_directory": folder, "host": address, "nthreads": 2,
                                 "resources": {"MEMORY": memory} if memory else {}}
        if not equal:
            self.unlike.add(folder)
        return folder

    def client(self, *_, **__):
        self.clients.append(Client(self))
        return self.clients[-1]

    def takers(self, sent):
        """Return the folders of the workers that may compute a task."""
        return [worker["local_directory"] for address, worker in self.workers.items()
                if address in sent.workers and worker["resources"].get("MEMORY", 0) >= sent.memory]

    def restart(self):
        self.workers.clear()
        for client in self.clients:
            client.cancel([sent for sent in client.sent if sent.status == "pending"])


class Client:
    status = "running"

    def __init__(self, dask):
        self._dask, self.sent = dask, []
        self.scheduler = SimpleNamespace(identity=self._identity)

    async def _identity(self, n_workers):
        return {"workers": {**self._dask.workers}}

    def sync(self, function, *, callback_timeout=None, **more):
        return asyncio.run(function(**more))

    async def run(self, function, *arguments, workers, **_):
        folder = self._dask.workers[workers[0]]["local_directory"]
        if folder in self._dask.silent:
            await asyncio.sleep(60)
        own = worker.capabilities()
        return {workers[0]: dataclasses.replace(own, sources="others")
                if folder in self._dask.unlike else own}

    def submit(self, function, task, files, *, key, workers, resources, **_):
        self.sent.append(Sent(key, workers, resources))
        return self.sent[-1]

    def cancel(self, futures, force=False):
        for sent in futures:
            sent.end("cancelled", CancelledError())

    def close(self, timeout):
        pass


@contextlib.contextmanager
def scheduler():
    async def knock(address):
        pass

    dask = Dask()
    with (mock.patch.multiple(executor, Client=dask.client, _knock=knock),
          mock.patch.multiple(group, _LOOK_S=0, _WAIT_S=1)):
        yield dask


def submit(sweep, folder="nowhere"):
    task = Task(stage=stages()["place"], spec={}, key="key", programs=(), inputs=(), timeout_s=None,
                weight=1)
    return sweep.submit(task, folder)


class Orders(stateful.RuleBasedStateMachine):
    """Workers of two sweeps come, go, come back as others, refuse, and have less memory."""

    addresses = strategies.sampled_from(["tcp://a:1", "tcp://b:1", "tcp://c:1"])
    which = strategies.integers(0, 9)

    def __init__(self):
        super().__init__()
        self._patched = contextlib.ExitStack()
        self.dask = self._patched.enter_context(scheduler())
        self.outcomes = []
        self.dask.join("tcp://a:1", memory=9e9)
        self.sweeps = [ClusterExecutor("tcp://x:1", lambda *_, **__: None) for _ in range(2)]

    @stateful.rule(address=addresses, equal=strategies.booleans(),
                   memory=strategies.sampled_from([9e9, 2e8, None]))
    def join(self, address, equal, memory):
        if address not in self.dask.workers:
            self.dask.join(address, equal=equal, memory=memory)

    @stateful.rule(address=addresses)
    def leave(self, address):
        self.dask.workers.pop(address, None)

    @stateful.rule()
    def restart(self):
        self.dask.restart()

    @stateful.rule(which=which)
    def submit(self, which):
        sweep = self.sweeps[which % 2]
        if sweep.has_room(Lane.TOOL):
            self.outcomes.append(submit(sweep))

    @stateful.rule(which=which, full=strategies.booleans())
    def work(self, which, full):
        waiting = [(sent, folder) for client in self.dask.clients for sent in client.sent
                   if sent.status == "pending" for folder in self.dask.takers(sent)]
        for sent, folder in waiting[which:which + 1]:
            if full or folder in self.dask.unlike:
                sent.end("finished", {"refused": "it cannot", "worker": folder})
            else:
                sent.end("finished", OUTCOME)

    @stateful.rule(which=which)
    def attend(self, which):
        self.sweeps[which % 2].attend()

    def teardown(self):
        with self._patched:
            self.dask.join("tcp://z:1", memory=9e9)
            for _ in range(20):
                for sweep in self.sweeps:
                    sweep.attend()
                for _ in self.outcomes:
                    self.work(0, full=False)
            for outcome in self.outcomes:
                assert outcome.done()
                assert isinstance(outcome.exception(), Abandoned | None)


TestOrders = Orders.TestCase
TestOrders.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


@pytest.fixture
def dask():
    with scheduler() as made:
        yield made


@pytest.fixture
def sweep(dask):
    """Return a function that returns a sweep, and a list of its notes."""
    notes = []
    return lambda: (ClusterExecutor("tcp://x:1", lambda _, label: notes.append(label)), notes)


def test_a_worker_that_does_not_answer_holds_up_nobody(dask, sweep):
    dask.join("tcp://a:1")
    dask.silent.add(dask.join("tcp://b:1"))
    one, notes = sweep()
    one.attend()
    assert (one.slots, notes[-1]) == (2, "tcp://b:1 is left out: it does not answer")


def test_a_worker_without_the_package_of_a_stage_refuses(monkeypatch):
    monkeypatch.setattr(worker, "get_worker", lambda: SimpleNamespace(local_directory="there"))
    assert worker.compute(b"cno_such_package\nmake\n.", []) == {
        "refused": "No module named 'no_such_package'", "worker": "there"}


def test_the_largest_group_with_these_sources_computes(dask, sweep):
    dask.join("tcp://a:1")
    for address in ("tcp://b:1", "tcp://c:1"):
        dask.join(address, equal=False)
    one, notes = sweep()
    one.attend()
    assert one.slots == 2
    assert notes[-1] == "tcp://c:1 is left out: its sources must be the same as those of the others"
    dask.workers.pop("tcp://a:1")
    with pytest.raises(WrongSite, match=r"b:1: its sources .*; tcp://c:1: its sources"):
        soon(one.attend)


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "a/b", ".."])
def test_what_a_worker_sends_stays_in_the_folder_of_its_task(dask, sweep, tmp_path, name):
    dask.join("tcp://a:1")
    outcome = submit(sweep()[0], tmp_path)
    dask.clients[0].sent[0].end("finished", {**OUTCOME, "files": {name: b""}})
    with pytest.raises(StageFailed, match="sent a file of a name with a folder"):
        outcome.result(0)


def test_a_result_that_is_lost_with_its_worker_is_computed_again(dask, sweep):
    dask.join("tcp://a:1")
    one, _ = sweep()
    outcome, (lost,) = submit(one), dask.clients[0].sent
    thread = threading.Thread(target=lost.end, args=["finished", OUTCOME, False])
    thread.start()
    del dask.workers["tcp://a:1"]
    dask.join("tcp://b:1")
    one.attend()
    thread.join(10)
    _, again = dask.clients[0].sent
    assert again.workers == ["tcp://b:1"]
    again.end("finished", OUTCOME)
    assert outcome.done()


def test_what_ended_is_not_sent_again(dask, sweep):
    dask.join("tcp://a:1")
    one, _ = sweep()
    ended, other = submit(one), submit(one)
    dask.clients[0].sent[0].end("finished", OUTCOME)
    dask.restart()
    dask.join("tcp://a:1")
    one.attend()
    assert (ended.done(), other.done(), len(dask.clients[0].sent)) == (True, False, 3)


def test_a_stage_that_kills_its_workers_is_given_up(dask, sweep):
    dask.join("tcp://a:1")
    one, _ = sweep()
    by_dask, by_turns = submit(one), submit(one)
    killed = KilledWorker("task", SimpleNamespace(address="tcp://a:1"), 3)
    dask.clients[0].sent[0].end("error", killed)
    for turn in range(4):
        del dask.workers[f"tcp://{'abcd'[turn]}:1"]
        one.attend()
        dask.join(f"tcp://{'bcde'[turn]}:1")
        one.attend()
    for outcome in (by_dask, by_turns):
        with pytest.raises(Abandoned, match="lost 4 times"):
            outcome.result(0)
