"""The workers of a Dask scheduler that are equal, so that it does not matter which one computes."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import WrongSite
from .worker import Capabilities, capabilities, identity, joined, stop

if TYPE_CHECKING:
    import distributed

    from ...tools.compiler import Compiler
    from ...tools.verilator import Verilator

__all__ = ["MEMORY", "Group"]

#: Resource of Dask by which a worker says how many bytes its tools may take together.
MEMORY = "MEMORY"
#: Seconds between looks at which workers there are.
_LOOK_S = 1


class Group:
    """The largest group of equal workers of a scheduler. It is also the :class:`Tools` of them.

    Parameters
    ----------
    client : distributed.Client
    address : str
        Address of the scheduler, for messages.

    Attributes
    ----------
    notes : deque of str
        What the user should know, and was not told yet.
    seen : float
        The time at which there was a worker, by the monotonic clock.

    Raises
    ------
    WrongSite
        If no worker has the sources and libraries of this process.
    """

    def __init__(self, client: distributed.Client, address: str) -> None:
        self._client = client
        self._lock = threading.RLock()
        self._threads: dict[str, int] = {}
        #: Bytes of memory for tools, of the workers that say so.
        self._memory: dict[str, float] = {}
        self._refused: set[str] = set()
        self._asking: set[str] = set()
        self._hosts: dict[str, str] = {}
        #: What all workers of the group have.
        self._reference: Capabilities | None = None
        #: Identities of tools that were asked for.
        self._identities: dict[tuple[str, bool], str] = {}
        self._looked = -math.inf
        self.seen = -math.inf
        self.notes: deque[str] = deque()
        self.look()
        if not self._threads:
            why = "; ".join(self.notes) or ("it has none; start workers with 'dask worker', with "
                                            "this version of montgomery installed")
            raise WrongSite(f"No worker of {address} can be used: {why}")

    @property
    def slots(self) -> int:
        """Number of threads of all workers."""
        with self._lock:
            return sum(self._threads.values())

    @property
    def workers(self) -> list[str]:
        """The addresses of the workers."""
        with self._lock:
            return list(self._threads)

    @property
    def memory(self) -> float | None:
        """The memory for tools of the smallest worker in bytes; None unless all say how much."""
        with self._lock:
            sizes = [self._memory.get(address) for address in self._threads]
        return None if None in sizes or not sizes else min(sizes)

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
            self._identities[name, packaged] = self._equal_identity(name, packaged)
        return self._identities[name, packaged]

    def _equal_identity(self, name: str, packaged: bool) -> str:
        """Return the identity of a tool on most workers, and leave the others out."""
        found = self._asked(identity, self.workers, name, packaged)
        counts: Counter[str] = Counter()
        for address, value in found.items():
            if isinstance(value, str):
                counts[value] += self._threads.get(address, 0)
        if not counts:
            raise next(iter(found.values()))
        best = counts.most_common(1)[0][0]
        for address, value in found.items():
            if value != best:
                self.refuse(address, f"its {name} differs from that of the others"
                            if isinstance(value, str) else _text(value))
        return best

    # Workers that come and go

    def look(self) -> set[str]:
        """Take note of workers that came or went, and return the addresses of those that went."""
        # Without a connection, a client repeats what it knew.
        if time.monotonic() - self._looked < _LOOK_S or self._client.status != "running":
            return set()
        self._looked = time.monotonic()
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        with self._lock:
            self._memory = {address: worker["resources"][MEMORY]
                            for address, worker in workers.items()
                            if MEMORY in worker.get("resources", ())}
            gone = self._threads.keys() - workers.keys()
            for address in gone:
                self.notes.append(f"{self._named(address)} is gone; its work is done elsewhere")
                del self._threads[address]
            self._refused &= workers.keys()
            new = {address: worker["nthreads"] for address, worker in workers.items()
                   if address not in self._threads.keys() | self._refused | self._asking}
            self._asking |= new.keys()
            if self._threads:
                self.seen = time.monotonic()
        if new and self._reference is None:
            self._admit(new)
        elif new:
            # A worker that does not answer must not hold up the others.
            threading.Thread(target=self._admit, args=[new], daemon=True).start()
        return gone

    def forget(self, address: str) -> None:
        """Take a worker as a new one."""
        with self._lock:
            self._threads.pop(address, None)

    def refuse(self, address: str, why: str) -> None:
        """Leave a worker out."""
        with self._lock:
            self._refused.add(address)
            self._threads.pop(address, None)
            self.notes.append(f"{self._named(address)} is left out: {why}")

    def stop(self, topic: str) -> None:
        """End what runs on the workers for one process that sweeps."""
        with contextlib.suppress(Exception):
            self._client.run(stop, topic, workers=self.workers, on_error="ignore")

    def _admit(self, new: Mapping[str, int]) -> None:
        """Add those of new workers that are equal to those there are, or the most of them.

        Parameters
        ----------
        new : dict from str to int
            From the address of each worker to its number of threads.
        """
        try:
            usable = self._usable(self._asked(joined, new))
            if usable and self._reference is None:
                kinds: Counter[tuple] = Counter()
                for address, what in usable.items():
                    kinds[what.kind] += new[address]
                best = kinds.most_common(1)[0][0]
                self._reference = next(what for what in usable.values() if what.kind == best)
            for address, what in usable.items():
                differing = what.differences(self._reference) or self._differing_tools(address)
                if differing:
                    self.refuse(address, f"{', '.join(differing)} differ from those of the others")
                else:
                    with self._lock:
                        self._threads[address] = new[address]
            with self._lock:
                added = Counter(self._hosts[address] for address in usable
                                if address in self._threads)
                if added:
                    self.seen = time.monotonic()
                    self.notes.append("workers: " + ", ".join(
                        f"{count} on {host}" for host, count in added.items()))
        except Exception:
            # The scheduler is lost, which others notice as well.
            if self._reference is None:
                raise
        finally:
            with self._lock:
                self._asking -= new.keys()

    def _usable(self, found: Mapping[str, Any]) -> dict[str, Capabilities]:
        """Return what workers have whose sources are those of this process."""
        own, usable = capabilities(), {}
        for address, what in found.items():
            if not isinstance(what, Capabilities):
                self.refuse(address, _text(what))
                continue
            self._hosts[address] = what.host
            if own.sources != what.sources:
                self.refuse(address, "its sources of montgomery are not those of this process; "
                                     "install the same version there")
            else:
                usable[address] = what
        return usable

    def _differing_tools(self, address: str) -> list[str]:
        return [name for (name, packaged), value in list(self._identities.items())
                if self._asked(identity, [address], name, packaged)[address] != value]

    def _asked(self, function: Callable[..., Any], workers: Collection[str] | Iterable[str],
               *arguments: Any) -> dict[str, Any]:
        """Return what a function returns on each of some workers, or the exception."""
        return self._client.run(function, *arguments, workers=list(workers), on_error="return")

    def _named(self, address: str) -> str:
        host = self._hosts.get(address)
        return f"{host} ({address})" if host else address


def _text(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
