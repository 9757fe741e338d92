"""The workers of a Dask scheduler that are equal, so that it does not matter which one computes."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ClusterLost, WrongSite
from .worker import Capabilities, ask, capabilities, identity, unlike

if TYPE_CHECKING:
    import distributed

__all__ = ["MEMORY", "Group"]

#: Resource of Dask by which a worker says how many bytes its tools may take together.
MEMORY = "MEMORY"
#: Seconds between looks at which workers there are, and for which workers are waited for.
_LOOK_S, _WAIT_S = 1, 60


@dataclasses.dataclass(eq=False)
class _Worker:
    """A worker of the scheduler, and why it is left out; ``why`` is empty for a member.

    The memory for its tools, in bytes, is 0 if it is unknown.
    """

    address: str
    host: str
    threads: int
    memory: float
    why: str = ""


class Group:
    """The largest group of equal workers of a scheduler. It is also the :class:`Tools` of them.

    Its members are the workers of the last snapshot of the scheduler but for those that are known
    to be others, did not answer when they joined, or refused a stage. A worker is known by its
    folder, which Dask makes anew for each process, since another one may come back at its address.
    What the user should know is told by ``note``.
    """

    def __init__(self, client: distributed.Client, address: str,
                 note: Callable[[str], None]) -> None:
        self._client, self._address, self._note = client, address, note
        self._workers: dict[str, _Worker] = {}
        self._identities: dict[tuple[str, bool], str] = {}
        self._seen = time.monotonic()
        #: What all members have.
        self._equal: Capabilities | None = None
        self._take_stock()
        self._require()
        found = self._equal or capabilities()
        self.machine, self.compiler, self.verilator = found.machine, found.compiler, found.verilator

    def _members(self) -> dict[str, _Worker]:
        return {name: worker for name, worker in self._workers.items() if not worker.why}

    @property
    def slots(self) -> int:
        """Number of threads of all members."""
        return sum(worker.threads for worker in self._members().values())

    @property
    def memory(self) -> dict[str, float]:
        """From the address of each member to its memory for tools in bytes, 0 if it is unknown."""
        return {worker.address: worker.memory for worker in self._members().values()}

    def identity(self, name: str, *, packaged: bool = False) -> str:
        while (name, packaged) not in self._identities:
            if found := self._asked(self._members(), identity, name, packaged):
                # A member with another tool refuses the stages that need it.
                self._identities[name, packaged] = self._most(found)
            else:
                time.sleep(_LOOK_S)
            self.look()
        return self._identities[name, packaged]

    def look(self) -> None:
        """Take note of workers that came or went; raise ClusterLost, or WrongSite if all that there
        are were left out, if there was no member for a minute.
        """
        if self._client.status == "running" and time.monotonic() - self._looked >= _LOOK_S:
            self._take_stock()
        if self._members():
            self._seen = time.monotonic()
        if self._client.status == "closed" or time.monotonic() - self._seen > _WAIT_S:
            if self._workers:
                self._require()
            raise ClusterLost(f"The scheduler or its workers are gone, and did not come back for "
                              f"{_WAIT_S:.0f} s; what came from them is stored, and the same "
                              "command goes on")

    def leave_out(self, name: str, why: str) -> None:
        """Take note of why a worker, whose folder is given, can compute nothing."""
        worker = self._workers.get(name)
        if worker is not None and not worker.why:
            worker.why = " ".join(why.split())
            self._note(f"{worker.address} is left out: {worker.why}")

    def _take_stock(self) -> None:
        """Take over which workers the scheduler has now."""
        self._looked = time.monotonic()
        try:
            # Not what the client remembers, which lacks all workers now and then.
            found = self._client.sync(self._client.scheduler.identity, n_workers=-1,
                                      callback_timeout=_WAIT_S)["workers"]
        except OSError:
            return
        before, self._workers = self._workers, {
            told["local_directory"]: _Worker(
                address, told["host"], told["nthreads"], told["resources"].get(MEMORY, 0))
            for address, told in found.items()}
        for name, worker in before.items():
            if name in self._workers:
                self._workers[name].why = worker.why
            elif not worker.why:
                self._note(f"{worker.address} is gone; its work is done elsewhere")
        if joined := [name for name in self._workers if name not in before]:
            hosts = Counter(self._workers[name].host for name in joined)
            self._note("workers: " + ", ".join(f"{hosts[host]} on {host}" for host in hosts))
            self._compare(self._asked(joined, ask))

    def _compare(self, found: Mapping[str, Capabilities]) -> None:
        """Leave out the workers that have other capabilities than the members."""
        sources = capabilities().sources
        if self._equal is None and (able := {
                name: what for name, what in found.items() if what.sources == sources}):
            self._equal = self._most(able)
        for name, what in found.items():
            if why := unlike(what, self._equal or capabilities()):
                self.leave_out(name, why)

    def _asked(self, names: Collection[str], function: Callable[..., Any], *arguments: Any
               ) -> dict[str, Any]:
        """Return what a function returns on workers; leave out those that do not answer."""
        async def answer(name: str) -> Any:
            address = self._workers[name].address
            running = self._client.run(function, *arguments, workers=[address], asynchronous=True)
            return (await asyncio.wait_for(running, _WAIT_S))[address]

        async def answers() -> list[Any]:
            return await asyncio.gather(*map(answer, names), return_exceptions=True)

        found = dict(zip(names, self._client.sync(answers), strict=True))
        for name, what in found.items():
            if isinstance(what, Exception):
                self.leave_out(name, str(what) or "it does not answer")
        return {name: what for name, what in found.items() if not isinstance(what, Exception)}

    def _most(self, found: Mapping[str, Any]) -> Any:
        """Return the answer of workers that most threads give."""
        threads: Counter[Any] = Counter()
        for name, what in found.items():
            threads[what] += self._workers[name].threads
        return threads.most_common(1)[0][0]

    def _require(self) -> None:
        """Raise WrongSite if there is no member."""
        if not self._members():
            told = [f"{worker.address}: {worker.why}" for worker in self._workers.values()]
            raise WrongSite(f"No worker of {self._address} can be used: " + (
                "; ".join(told) or "it has none; start workers with 'dask worker', with this "
                "version of montgomery installed"))
