"""The stages of measurements as nodes of a graph, in which equal stages are one node."""

from __future__ import annotations

import dataclasses
import enum
import itertools
from collections.abc import Collection, Mapping
from typing import Any

from ..outcome import Failure, Outcome, Status
from .stage import Job, Spec, Stage, Tools
from .stages import stages, through

__all__ = ["Cell", "Graph", "Node", "Reading", "State"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The part of a row that describes one stage: its columns, and what computed it, by program."""

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
    """One stage of one or more measurements, whose specifications are the same.

    The job is one of them, and the time limit the longest. The specification holds the facts that
    earlier stages have ``given``. Lineage and key are those of :mod:`explore.pipeline.stage`.
    """

    stage: Stage
    job: Job
    timeout_s: float | None
    #: The stages that must have succeeded before, by name; that of them whose files are read; and
    #: another one whose files lie in the workspace, once it is known that this stage has to run.
    needs: dict[str, Node]
    source: Node | None
    fetches: Node | None = None
    given: Mapping[str, Mapping[str, str]]
    spec: Spec
    lineage: str
    #: Unknown until the facts of the stages before it are known.
    key: str | None = None
    #: Nodes that need this one, or fetch its files, and measurements whose rows need it.
    users: list[Node] = dataclasses.field(default_factory=list)
    cells: list[Cell] = dataclasses.field(default_factory=list)
    state: State = State.IDLE
    #: It stays unknown if an earlier stage failed, or if an earlier row has all that is needed.
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
            self.spec = self.stage.specify(self.job, given, tools)
        self.key = self.stage.hashed(self.spec)


def facts_of(name: str, node: Node) -> dict[str, str]:
    """Return the facts of a computed stage of this name that specifications hold."""
    # Two stages whose outcome is the same are one node, but may have different facts of it.
    facts = stages()[name].facts
    return {fact: node.outcome.facts[fact] for fact in facts} if facts else {}


@dataclasses.dataclass(eq=False, slots=True, weakref_slot=True)
class Cell:
    """One point with one seed, and the nodes of the stages that measure it, in their order.

    Until the core is elaborated, there are the nodes of its elaborations alone.
    """

    job: Job
    nodes: dict[str, Node]
    #: Whether the elaborations have ended, and whether all nodes are there.
    is_elaborated: bool = False
    is_whole: bool = False
    #: Whether stages that bring columns are left out because nobody asked for them.
    is_partial: bool = False
    #: Unknown until it is made.
    row: dict[str, Any] | None = None

    @property
    def elaborations(self) -> list[Node]:
        """The nodes on whose facts all lineages depend."""
        return list(dict.fromkeys(node for node in self.nodes.values() if node.stage.transparent))

    @property
    def measuring(self) -> list[Node]:
        """The nodes whose results the row needs: those with columns, and the last one asked for."""
        last = self.nodes.get(self.job.until or "")
        return [node for node in self.nodes.values() if node.stage.columns or node is last]

    @property
    def failed(self) -> Node | None:
        """The first stage that failed; None if none failed, or if all columns are known."""
        if self.is_whole and all(node.reading and not node.reading.failure
                                 for node in self.measuring):
            return None
        return next((node for node in self.nodes.values() if node.failure), None)

    @property
    def is_complete(self) -> bool:
        """Whether no further outcome can change the row."""
        failed = self.failed
        if failed is None and not self.is_whole:
            return False
        before = itertools.takewhile(lambda node: node is not failed, self.nodes.values())
        measuring = set(self.measuring)
        return all(node.reading for node in before if node in measuring)


class Graph:
    """The nodes of measurements. Nodes with one lineage are one node."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        #: By lineage. Each node stands after the nodes that it needs.
        self.nodes: dict[str, Node] = {}

    def cell(self, job: Job) -> Cell:
        """Return a cell with its elaborations; raise ToolMissing if a stage lacks a program."""
        cell = Cell(job, {})
        for name, stage in through(job.until).items():
            if stage.applies(job, self._tools):
                for program in stage.programs(job) if stage.columns else ():
                    self._tools.identity(program)
                if stage.transparent:
                    cell.nodes[name] = self._node(stage, job, {})
        return cell

    def complete(self, cell: Cell) -> None:
        """Add all nodes but those to fetch to a cell whose elaborations have succeeded."""
        job, asked = cell.job, through(cell.job.until)
        found, cell.nodes = cell.nodes, {}
        fetched = {stage.fetches for stage in asked.values()} - {job.until}
        for name, stage in asked.items():
            if name not in fetched and stage.applies(job, self._tools):
                cell.nodes[name] = found.get(name) or self._node(stage, job, cell.nodes)
        cell.is_partial = any(stage.columns and stage.applies(job, self._tools)
                              for name, stage in stages().items() if name not in asked)
        cell.is_whole = True

    def elaborations(self, stage: Stage, job: Job) -> list[Node]:
        """Return the elaborations on which a stage depends, which need not be part of a cell."""
        if stage.transparent:
            return [self._node(stage, job, {})]
        before = [*stage.after, *filter(None, (stage.fetches,))]
        return list(dict.fromkeys(node for name in before
                                  for node in self.elaborations(stages()[name], job)))

    def single(self, stage: Stage, job: Job, without: Collection[str] = ()) -> Node:
        """Return the node of one stage, whose elaborations have succeeded.

        Earlier stages that are called as ``without`` says need not have succeeded.
        """
        nodes = {name: self.single(stages()[name], job, without) for name in stage.after
                 if name not in without and stages()[name].applies(job, self._tools)}
        return self._node(stage, job, nodes)

    def fetched(self, node: Node) -> Node | None:
        """Return the node whose files a node fetches, which has to run; None if there is none."""
        stage = node.stage
        if node.fetches is None and stage.fetches and stage.uses_fetched(node.spec):
            fetched = stages()[stage.fetches]
            if fetched.applies(node.job, self._tools):
                node.fetches = self.single(fetched, node.job)
                node.fetches.users.append(node)
        return node.fetches

    def _node(self, stage: Stage, job: Job, before: Mapping[str, Node]) -> Node:
        needs = {name: before[name] for name in stage.after if name in before}
        given = {name: facts_of(name, need) if need.stage.transparent
                 else {fact: f"{fact} of {need.lineage}" for fact in stages()[name].facts}
                 for name, need in needs.items()}
        spec = stage.specify(job, given, self._tools)
        lineage = stage.hashed(spec)
        node = self.nodes.get(lineage)
        if node is None:
            node = self.nodes[lineage] = Node(
                stage=stage, job=job, timeout_s=job.timeout_s, needs=needs, given=given, spec=spec,
                source=before.get(stage.reads), lineage=lineage)
            for need in needs.values():
                need.users.append(node)
        elif node.timeout_s is not None:
            node.timeout_s = (None if job.timeout_s is None
                              else max(job.timeout_s, node.timeout_s))
        return node
