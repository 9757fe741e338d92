"""A stage of measurements, as a node of a graph: what it depends on, its state, and its result."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..outcome import Failure, Outcome, Status
from .stage import Job, Spec, Stage, Tools
from .stages import stages

if TYPE_CHECKING:
    from .graph import Cell

__all__ = ["Node", "Reading", "State", "facts_of"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The part of a row that describes one stage.

    Attributes
    ----------
    failure : Failure or None
        None if the stage succeeded.
    columns : dict
        Values of the columns of the stage that are known.
    key, host, date : str or None
        Key of the outcome, name of the machine, and date of the computation, if they are known.
    arguments, versions : dict
        Arguments and versions of the programs that the stage ran, by program.
    """

    failure: Failure | None
    columns: Mapping[str, Any]
    key: str | None
    host: str | None
    date: str | None
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def status(self) -> Status:
        return self.failure.status if self.failure else Status.OK


class State(enum.Enum):
    """The state of a node.

    =======  =======  =====================================================================
    From     To       When
    =======  =======  =====================================================================
    IDLE     BLOCKED  its outcome is needed
    BLOCKED  READY    all stages before it are done, and its outcome is unknown
    BLOCKED  DONE     its outcome is known, or a stage before it has failed
    READY    RUNNING  there is a place for it, and no other process computes it
    READY    DONE     another process has computed it
    READY    BLOCKED  files that it reads are not in the store, or an equal one was given up
    RUNNING  DONE     it has ended
    RUNNING  BLOCKED  files that it reads are damaged, or its machine was lost too often
    DONE     BLOCKED  its files are damaged or missing, and another node reads them
    =======  =======  =====================================================================
    """

    IDLE = enum.auto()
    BLOCKED = enum.auto()
    READY = enum.auto()
    RUNNING = enum.auto()
    DONE = enum.auto()


_NEXT = {State.IDLE: (State.BLOCKED,),
         State.BLOCKED: (State.READY, State.DONE),
         State.READY: (State.RUNNING, State.DONE, State.BLOCKED),
         State.RUNNING: (State.DONE, State.BLOCKED),
         State.DONE: (State.BLOCKED,)}


@dataclasses.dataclass(eq=False, slots=True, weakref_slot=True, kw_only=True)
class Node:
    """One stage of one or more measurements.

    Attributes
    ----------
    job : Job
        One of the measurements; the others have the same specification.
    timeout_s : float or None
        The longest time limit of these measurements.
    needs : dict from str to Node
        From the name of each stage that must have succeeded before to its node.
    source : Node or None
        The stage whose files this stage reads.
    fetches : Node or None
        Another stage whose files lie in the workspace; None until it is known that this stage has
        to run.
    given : dict
        The facts of the stages before it that the specification holds.
    lineage, key : str
        See :mod:`explore.pipeline.stage`; no key until the facts of the stages before it are known.
    users : list of Node
        Nodes that need this node, or fetch its files.
    cells : list of Cell
        The measurements whose rows need this node.
    outcome : Outcome or None
        None until it is known. It stays None if an earlier stage failed, or if an earlier row has
        everything that is needed of this stage.
    reading : Reading or None
        The part of a row for this stage; None until it is known.
    """

    stage: Stage
    job: Job
    timeout_s: float | None
    needs: dict[str, Node]
    source: Node | None
    given: Mapping[str, Mapping[str, str]]
    spec: Spec
    lineage: str
    key: str | None = None
    fetches: Node | None = None
    users: list[Node] = dataclasses.field(default_factory=list)
    cells: list[Cell] = dataclasses.field(default_factory=list)
    state: State = State.IDLE
    outcome: Outcome | None = None
    reading: Reading | None = None

    @property
    def label(self) -> str:
        """Short text that names the core or the point."""
        return self.stage.label(self.job)

    @property
    def inputs(self) -> list[Node]:
        """The nodes whose files lie in the workspace."""
        return [node for node in (self.source, self.fetches) if node is not None]

    @property
    def weight(self) -> int:
        """Rough measure of the time that the node takes, for comparisons within a stage."""
        return self.job.params.width

    @property
    def recipe(self) -> str:
        """See :mod:`explore.pipeline.stage`."""
        return self.stage.recipe(self.job, self.lineage)

    @property
    def failure(self) -> Failure | None:
        """The failure of the stage, or of the one that it fetches; None if there is none."""
        if self.outcome is not None and self.outcome.failure:
            return self.outcome.failure
        if self.reading is not None:
            return self.reading.failure
        return self.fetches.failure if self.fetches else None

    @property
    def suffices(self) -> bool:
        """Whether everything that later stages need of the node is known."""
        if self.outcome is not None:
            return True
        # Later stages only need to know whether a stage without facts succeeded.
        return self.reading is not None and not self.reading.failure and not self.stage.facts

    @property
    def is_settled(self) -> bool:
        """Whether it is known what later stages can have of the node."""
        return self.suffices or self.state is State.DONE

    @property
    def is_vain(self) -> bool:
        """Whether the node cannot be computed, since one that it needs has failed."""
        return any(need.is_settled and (need.reading is None or need.failure)
                   for need in self.needs.values())

    def enter(self, state: State) -> None:
        """Change the state."""
        if state not in _NEXT[self.state]:
            raise AssertionError(f"{self.stage.name} {self.label}: {self.state} to {state}")
        self.state = state

    def note(self, reading: Reading) -> None:
        """Take a reading of the stage, unless an earlier row gave a reading without a failure."""
        if self.reading is None or self.reading.failure:
            self.reading = reading

    def specify(self, tools: Tools) -> None:
        """Find the key. The nodes that are needed must have outcomes."""
        given = {name: facts_of(name, need) for name, need in self.needs.items()}
        if given != self.given:
            self.spec = self.stage.specify(self.job.within(self.stage.scope), given, tools)
        self.key = self.stage.hashed(self.spec)


def facts_of(name: str, node: Node) -> dict[str, str]:
    """Return the facts of a computed stage of this name that specifications hold."""
    # Two stages whose outcome is the same are one node, but may have different facts of it.
    facts = stages()[name].facts
    return {fact: node.outcome.facts[fact] for fact in facts} if facts else {}
