"""The workers of a Dask scheduler that are equal, so that it does not matter which one computes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ...errors import ClusterLost, WrongSite
from .worker import Capabilities, admit, ask, capabilities, identity, leave

if TYPE_CHECKING:
    import distributed

    from ...tools.compiler import Compiler
    from ...tools.verilator import Verilator

__all__ = ["MEMORY", "Group"]

#: Resource of Dask by which a worker says how many bytes its tools may take together.
MEMORY = "MEMORY"
#: Seconds between looks at which workers there are, and for which workers are waited for.
_LOOK_S, _WAIT_S = 1, 60


class Group:
    """The largest group of equal workers of a scheduler. It is also the :class:`Tools` of them.

    Parameters
    ----------
    client : distributed.Client
    address : str
        Address of the scheduler, for messages.

    Attributes
    ----------
    notes : list of str
        What the user should know, and was not told yet.
    slots : int
        Number of threads of all workers.
    memory : float or None
        The memory for tools of the smallest worker in bytes; None unless all say how much.

    Raises
    ------
    WrongSite
        If no worker has the sources and libraries of this process.
    """

    def __init__(self, client: distributed.Client, address: str) -> None:
        self._client, self._address = client, address
        self.notes: list[str] = []
        self.slots, self.memory = 0, None
        #: The workers of the group, and those that are none of it, with their hosts.
        self._hosts: dict[str, str] = {}
        self._others: dict[str, str] = {}
        #: Identities of tools that were asked for.
        self._identities: dict[tuple[str, bool], str] = {}
        # A worker that does not answer must not hold up the others.
        self._thread = ThreadPoolExecutor(1)
        self._joining: Future | None = None
        self._threads: dict[str, int] = {}
        self._looked = self._seen = time.monotonic()
        own = capabilities()
        workers = self._workers()
        found = self._run(ask, workers)
        kinds: Counter[str] = Counter()
        for address, what in found.items():
            if isinstance(what, Capabilities) and what.sources == own.sources:
                kinds[what.kind] += workers[address]["nthreads"]
        most = max(kinds, key=kinds.get, default=own.kind)
        #: What all workers of the group have.
        self._reference = next((what for what in found.values()
                                if isinstance(what, Capabilities) and what.kind == most), own)
        self._take(self._judged(found))
        self._count(workers)
        if not self.slots:
            self._refuse("; ".join(self.notes) or "it has none; start workers with 'dask worker', "
                         "with this version of montgomery installed")

    @property
    def kind(self) -> str:
        """The resource of Dask that the workers have."""
        return self._reference.kind

    # The tools

    @property
    def compiler(self) -> Compiler | None:
        return self._reference.compiler

    @property
    def verilator(self) -> Verilator | None:
        return self._reference.verilator

    @property
    def machine(self) -> str:
        return self._reference.machine

    def identity(self, name: str, *, packaged: bool = False) -> str:
        if (name, packaged) not in self._identities:
            found = self._run(identity, self._hosts, name, packaged)
            counts: Counter[str] = Counter()
            for address, value in found.items():
                if isinstance(value, str):
                    counts[value] += self._threads[address]
            if not counts:
                raise next(iter(found.values()))
            best = self._identities[name, packaged] = counts.most_common(1)[0][0]
            for address, value in found.items():
                if value != best:
                    self.left(address, f"its {name} differs from that of the others"
                              if isinstance(value, str) else str(value))
                    self._run(leave, [address], self.kind)
        return self._identities[name, packaged]

    # Workers that come and go

    def look(self) -> None:
        """Take note of workers that came or went.

        Raises
        ------
        ClusterLost
            If there was no worker for a minute.
        WrongSite
            If all workers have left.
        """
        if self._joining is not None and self._joining.done():
            joining, self._joining = self._joining, None
            self._take(joining.result())
        # Without a connection, a client repeats what it knew.
        if self._client.status == "running" and time.monotonic() - self._looked >= _LOOK_S:
            self._looked = time.monotonic()
            workers = self._workers()
            for address in self._hosts.keys() - workers.keys():
                self.notes.append(f"{self._hosts.pop(address)} ({address}) is gone; its work is "
                                  "done elsewhere")
            self._others = {address: host for address, host in self._others.items()
                            if address in workers}
            new = workers.keys() - self._hosts.keys() - self._others.keys()
            if new and self._joining is None:
                self._joining = self._thread.submit(
                    lambda: self._judged(self._run(ask, new)))
            self._count(workers)
        if self.slots:
            self._seen = time.monotonic()
        elif self._others and not self._hosts and self._joining is None:
            self._refuse("; ".join(self.notes) or "all have left")
        if self._client.status == "closed" or time.monotonic() - self._seen > _WAIT_S:
            raise ClusterLost(f"The scheduler or its workers are gone, and did not come back for "
                              f"{_WAIT_S:.0f} s; what came from them is stored, and the same "
                              "command goes on")

    def left(self, address: str, why: str) -> None:
        """Take note of a worker that takes no more stages."""
        if address in self._hosts:
            self._leave_out(address, self._hosts.pop(address), why)

    def _workers(self) -> Mapping[str, Mapping[str, Any]]:
        return self._client.scheduler_info(n_workers=-1)["workers"]

    def _count(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        ours = {address: worker for address, worker in workers.items() if address in self._hosts}
        self._threads = {address: worker["nthreads"] for address, worker in ours.items()}
        self.slots = sum(self._threads.values())
        sizes = [worker["resources"].get(MEMORY) for worker in ours.values()]
        self.memory = None if None in sizes else min(sizes, default=None)

    def _judged(self, found: Mapping[str, Capabilities | Exception]) -> dict[str, tuple[str, str]]:
        """Admit the workers that are equal to those of the group.

        Parameters
        ----------
        found : dict
            From the address of each worker to what it has, or the exception of the question.

        Returns
        -------
        dict from str to (str, str)
            From the address of each worker to its host, and to why it is not admitted.
        """
        judged = {}
        for address, what in found.items():
            if not isinstance(what, Capabilities):
                judged[address] = "a worker", str(what)
                continue
            differing = what.differences(self._reference) or [
                name for (name, packaged), value in list(self._identities.items())
                if self._run(identity, [address], name, packaged)[address] != value]
            why = differing and f"{', '.join(differing)} differ from those of the others"
            if what.sources != self._reference.sources:
                why = ("its sources of montgomery are not those of this process; install the same "
                       "version there")
            judged[address] = what.host, why or ""
        self._run(admit, [address for address, (_, why) in judged.items() if not why], self.kind)
        return judged

    def _take(self, judged: Mapping[str, tuple[str, str]]) -> None:
        joined = {address: host for address, (host, why) in judged.items() if not why}
        for address, (host, why) in judged.items():
            if why:
                self._leave_out(address, host, why)
        if joined:
            self._hosts |= joined
            self.notes.append("workers: " + ", ".join(
                f"{count} on {host}" for host, count in Counter(joined.values()).items()))

    def _leave_out(self, address: str, host: str, why: str) -> None:
        self._others[address] = host
        self.notes.append(f"{host} ({address}) is left out: {' '.join(why.split())}")

    def _refuse(self, why: str) -> None:
        raise WrongSite(f"No worker of {self._address} can be used: {why}")

    def _run(self, function: Callable[..., Any], workers: Collection[str], *arguments: Any
             ) -> dict[str, Any]:
        """Return what a function returns on each of some workers, or the exception."""
        return self._client.run(function, *arguments, workers=list(workers), on_error="return")
