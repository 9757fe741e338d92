"""The scheduler on random graphs, with failures, locks of other processes and lost files."""

import dataclasses
from collections import Counter
from concurrent.futures import Future
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from explore.errors import ClusterLost
from explore.outcome import Failure, Outcome, Retry, Status
from explore.pipeline import graph, knowledge, scheduler
from explore.pipeline.executor import Abandoned, Lost
from explore.pipeline.graph import Graph, State
from explore.pipeline.knowledge import Knowledge
from explore.pipeline.scheduler import Scheduler
from explore.pipeline.stage import Job, Lane, Result, Stage

#: What may come of a run: an outcome, a failure that stands, one that does not, a file that is
#: damaged, and a machine that was lost too often.
ENDS = ["good"] * 6 + ["bad", "odd", "damaged", "given up"]


@dataclasses.dataclass(frozen=True)
class Params:
    width: int


class Step(Stage):
    """A stage whose specification has no more of a job than its width, or the half of it."""

    def __init__(self, name, needs, fetches, facts, lane, halved):
        self.name, self.needs, self.fetches, self.facts = name, needs, fetches, facts
        self.lane, self._halved = lane, halved
        self.reads = needs[0] if needs else ""

    def label(self, job):
        return str(job.params.width)

    def specify(self, job, given, tools):
        return {"width": job.params.width // 2 if self._halved else job.params.width,
                "given": {name: dict(facts) for name, facts in given.items()}}

    def run(self, spec, workspace):
        return Result()


@st.composite
def stage_graphs(draw):
    """Up to seven stages, each of which may need and fetch what earlier ones leave."""
    stages = {}
    for index in range(draw(st.integers(1, 7))):
        names = list(stages)
        needs = tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
                      ) if names else ()
        rest = [name for name in names if name not in needs]
        fetches = draw(st.sampled_from(["", *rest]))
        stages[f"s{index}"] = Step(
            f"s{index}", needs, fetches, draw(st.sampled_from([(), ("fact",)])),
            draw(st.sampled_from(list(Lane))), draw(st.booleans()))
    return stages


class Lock:
    def __init__(self, held, key):
        self._held, self._key = held, key
        assert key not in held
        held.add(key)

    def release(self):
        self._held.remove(self._key)


class Memory:
    """A store in memory. Other processes may hold a lock, and compute an outcome meanwhile."""

    writable = True
    path = Path("/")

    def __init__(self, data):
        self._data, self.outcomes, self.held, self.workspaces = data, {}, set(), set()
        self._others = 0

    def outcome(self, key, needed=None):
        return self.outcomes.get(key)

    def lock(self, key):
        if self._others < 5 and self._data.draw(st.booleans(), "another process holds the lock"):
            self._others += 1
            if self._data.draw(st.booleans(), "it computes the outcome"):
                self.outcomes.setdefault(key, good(key))
            return None
        return Lock(self.held, key)

    def workspace(self, key):
        self.workspaces.add(key)
        return key

    def discard(self, workspace):
        self.workspaces.discard(workspace)

    def commit(self, key, spec, outcome, workspace):
        assert key in self.held
        self.outcomes[key] = outcome

    def files(self, key):
        return Path(key)

    def forget(self, key):
        self.outcomes.pop(key, None)


def good(key):
    return Outcome(facts={"fact": f"of {key}"}, files={"file": key})


class Machines:
    """An executor whose tasks end one by one, in any order and in any way."""

    tools = None

    def __init__(self, data, store):
        self._data, self._store = data, store
        self.slots = data.draw(st.integers(1, 3), "slots")
        self.running, self.runs, self.damages = {}, Counter(), Counter()
        self._waits = 9

    def has_room(self, lane):
        return len(self.running) < self.slots

    def submit(self, task, folder):
        assert task.key in self._store.held
        assert task.key not in self.running
        for each in task.inputs:
            assert str(each.folder) in self._store.outcomes
        self.runs[task.key] += 1
        future = Future()
        self.running[task.key] = task, future
        return future

    def attend(self):
        if self.running and self._waits and self._data.draw(st.booleans(), "nothing ends"):
            self._waits -= 1
        elif self.running:
            key = sorted(self.running)[
                self._data.draw(st.integers(0, len(self.running) - 1), "which")]
            self._end(key, *self.running.pop(key))

    def _end(self, key, task, future):
        end = self._data.draw(st.sampled_from(ENDS), "how")
        if end == "damaged" and task.inputs and self.damages.total() < 5:
            index = self._data.draw(st.integers(0, len(task.inputs) - 1))
            self.damages[str(task.inputs[index].folder)] += 1
            self.damages[key] += 1
            future.set_exception(Lost(index))
        elif end == "given up":
            future.set_exception(Abandoned("lost"))
        elif end in ("bad", "odd"):
            future.set_result(Outcome(failure=Failure(
                status=Status.NO_FIT, message=end,
                retry=Retry.NEVER if end == "bad" else Retry.ALWAYS)))
        else:
            future.set_result(good(key))


@pytest.fixture(scope="module", autouse=True)
def without_waiting():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduler, "_POLL_S", 0)
        patch.setattr(scheduler, "_LOOK_S", 0)
        yield


@given(stages=stage_graphs(), widths=st.lists(st.integers(0, 5), min_size=1, max_size=4),
       data=st.data())
@settings(max_examples=400, deadline=None, phases=[Phase.generate])
def test_every_node_that_is_wanted_is_done_once(stages, widths, data):
    with pytest.MonkeyPatch.context() as patch:
        for module in (graph, knowledge, scheduler):
            patch.setattr(module, "stages", lambda: stages)
        store = Memory(data)
        machines, nodes = Machines(data, store), Graph(None)
        done, computed = Counter(), Counter()
        scheduled = Scheduler(store, machines, nodes, Knowledge(store), lambda *_, **__: None,
                              lambda each, cached: (done if cached else computed).update([each]))
        for width in widths:
            name = data.draw(st.sampled_from(list(stages)), "wanted")
            scheduled.want(nodes.single(stages[name], Job(params=Params(width))))
        planned = scheduled.to_compute()
        for _ in range(1000):
            if not scheduled.is_busy:
                break
            scheduled.step()
    assert not scheduled.is_busy
    assert not machines.running
    assert not store.held
    assert not store.workspaces
    blocked = {each for each in nodes.nodes.values() if each.state is State.BLOCKED}
    assert scheduled.outstanding == len(blocked)
    if blocked:
        # Each waits for one that was given up, or is one.
        with pytest.raises(ClusterLost):
            scheduled.raise_abandoned()
    for each in nodes.nodes.values():
        before = [*each.needs.values(), *filter(None, [each.fetches])]
        failed = any(need.state is State.DONE and (need.outcome is None or need.failure)
                     for need in before)
        if each.state is State.DONE:
            assert done[each] + computed[each]
            assert failed if each.outcome is None else each.outcome
        if each.state is State.IDLE:
            assert not computed[each]
        if computed[each] and each.outcome:
            assert each in planned or machines.damages.total()
    for key, count in machines.runs.items():
        assert count <= 1 + machines.damages[key]
