"""A graph of the stages of measurements, in which equal stages are one node."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..devices import target
from ..errors import Refusal
from ..outcome import Failure, Outcome, Status
from ..points.point import Point
from .stage import Job, Scope, Spec, Stage, Tools
from .stages import stages, through

__all__ = ["Cell", "Graph", "Node", "Reading", "jobs_of"]


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


@dataclasses.dataclass(eq=False, slots=True, weakref_slot=True)
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
        Another stage whose files lie in the workspace. It only runs if this stage has to run. None
        as soon as it is known that this stage does not use them.
    fetchers : int
        Number of nodes that fetch the files of this one.
    identity, lineage, recipe, key : str
        See :mod:`explore.pipeline.stage`. All but ``identity`` are None until they are known.
    users : list of Node
        Nodes that need this node.
    spec : dict or None
        The specification; None until it is known.
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
    fetches: Node | None
    identity: str
    users: list[Node] = dataclasses.field(default_factory=list)
    fetchers: int = 0
    spec: Spec | None = None
    lineage: str | None = None
    recipe: str | None = None
    key: str | None = None
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
    def failure(self) -> Failure | None:
        """The failure of the stage; None if it succeeded or is not computed."""
        if self.outcome is not None and self.outcome.failure:
            return self.outcome.failure
        return self.reading.failure if self.reading else None

    def note(self, reading: Reading) -> None:
        """Take a reading of the stage, unless an earlier row gave a reading without a failure."""
        if self.reading is None or self.reading.failure:
            self.reading = reading

    def specify(self, tools: Tools) -> None:
        """Compute specification and key. All needed stages must have outcomes."""
        given = {name: _facts(name, need) for name, need in self.needs.items()}
        self.spec = self._specified(given, tools)
        self.key = self.stage.hashed(self.spec)

    def find_recipe(self, tools: Tools) -> None:
        """Compute lineage and recipe. The core must have been elaborated."""
        given = {name: _facts(name, need) if need.stage.transparent
                 else stages()[name].standing_for(need.lineage)
                 for name, need in self.needs.items()}
        self.lineage = self.stage.hashed(self._specified(given, tools))
        self.recipe = self.stage.recipe(self.job, self.lineage)

    def _specified(self, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        spec = self.stage.specify(self.job.within(self.stage.scope), given, tools)
        if self.fetches is not None and not self.stage.uses_fetched(spec):
            self.fetches.fetchers -= 1
            self.fetches = None
        return spec


def _facts(name: str, node: Node) -> dict[str, str]:
    # Two stages whose outcome is the same are one node, but may have different facts of it.
    return {fact: node.outcome.facts[fact] for fact in stages()[name].facts}


@dataclasses.dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Cell:
    """One point with one seed, and the nodes that measure it.

    Attributes
    ----------
    job : Job
    nodes : dict from str to Node
        The node of each stage, in the order of the stages. A stage that does not apply to the job,
        or comes after the last one that was asked for, has no node.
    is_partial : bool
        Whether stages that bring columns were left out because nobody asked for them.
    """

    job: Job
    nodes: dict[str, Node]
    is_partial: bool = False

    @property
    def point(self) -> Point:
        return self.job.point

    @property
    def seed(self) -> int:
        return self.job.seed

    @property
    def measuring(self) -> list[Node]:
        """The nodes whose results the row needs: those with columns, and the last one asked for."""
        last = self.nodes.get(self.job.until or "")
        return [node for node in self.nodes.values() if node.stage.columns or node is last]


class Graph:
    """The nodes of measurements. Equal nodes are there once.

    Parameters
    ----------
    tools : Tools
        The programs that stages run.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._nodes: dict[str, Node] = {}
        #: Nodes by stage and by all that the stage depends on, to find equal nodes quickly.
        self._made: dict[tuple, Node] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def nodes(self) -> list[Node]:
        """All nodes; each one stands after the nodes that it needs."""
        return list(self._nodes.values())

    def cell(self, job: Job) -> Cell:
        """Return the nodes that measure a point with a seed.

        Raises
        ------
        ToolMissing
            If a program that a stage needs is missing.
        UnknownName
            If the last stage that the job asks for is none.
        """
        nodes: dict[str, Node] = {}
        asked = through(job.until)
        for name, stage in asked.items():
            if stage.applies(job, self._tools):
                nodes[name] = self._node(stage, job, nodes)
        return Cell(job, nodes, any(stage.columns and stage.applies(job, self._tools)
                                    for name, stage in stages().items() if name not in asked))

    def single(self, stage: Stage, job: Job, without: Collection[str] = ()) -> Node:
        """Return the node of one stage, which need not be part of a measurement.

        Parameters
        ----------
        without : collection of str
            Earlier stages that need not have succeeded.

        Raises
        ------
        ToolMissing
            If a program that a stage needs is missing.
        """
        nodes: dict[str, Node] = {}
        for name in (*stage.needs, *filter(None, (stage.fetches,))):
            need = stages()[name]
            if name not in without and need.applies(job, self._tools):
                nodes[name] = self.single(need, job, without)
        return self._node(stage, job, nodes)

    def _node(self, stage: Stage, job: Job, before: Mapping[str, Node]) -> Node:
        mark = (stage, *_depends(stage.scope, job),
                *(before[name].identity for name in stage.needs if name in before))
        node = self._made.get(mark)
        if node is None:
            node = self._made[mark] = self._new(stage, job, before)
        if node.timeout_s is not None and (job.timeout_s is None or job.timeout_s > node.timeout_s):
            node.timeout_s = job.timeout_s
        return node

    def _new(self, stage: Stage, job: Job, before: Mapping[str, Node]) -> Node:
        needs = {name: before[name] for name in stage.needs if name in before}
        given = {name: stages()[name].standing_for(need.identity) for name, need in needs.items()}
        spec = stage.specify(job.within(stage.scope), given, self._tools)
        identity = stage.hashed(spec)
        node = self._nodes.get(identity)
        if node is None:
            fetches = before.get(stage.fetches) if stage.uses_fetched(spec) else None
            node = Node(stage=stage, job=job, timeout_s=job.timeout_s, needs=needs,
                        source=before.get(stage.reads), fetches=fetches, identity=identity)
            if fetches is not None:
                fetches.fetchers += 1
            self._nodes[identity] = node
            for need in needs.values():
                need.users.append(node)
        return node


def _depends(scope: Scope, job: Job) -> tuple:
    core = (type(job.params), job.params)
    if scope == Scope.CORE:
        return core
    device = (job.device and job.device.name, tuple(sorted(job.options.items())))
    return (*core, *device) if scope == Scope.POINT else (*core, *device, job.seed)


def jobs_of(points: Mapping[Point, int | Sequence[int]], timeout_s: float | None = None,
            until: str | None = None) -> list[Job]:
    """Return a job for each point and each of its seeds.

    A point has only its first seed on a device without a placer, and if no stage that is asked for
    depends on the seed.

    Parameters
    ----------
    points : dict from Point to int or sequence of int
        From each point to its number of seeds, which are 1, 2… then, or to its seeds.
    timeout_s : float or None
        Time limit of each run of a tool, and of each verification.
    until : str or None
        Name of the last stage; all stages if None.

    Raises
    ------
    ValueError
        If a seed or a number of seeds is below 1, if a point has no seed, or for an unknown stage.
    """
    seeded = any(stage.scope == Scope.SEED for stage in through(until).values())
    jobs = []
    for point, given in points.items():
        seeds = _seeds(given)
        params, device, options = point.parameters(), target(point.target), dict(point.options)
        jobs += [Job(params=params, device=device, options=options, seed=seed, point=point,
                     timeout_s=timeout_s, until=until)
                 for seed in (seeds if device.placer and seeded else seeds[:1])]
    return jobs


def _seeds(given: int | Sequence[int]) -> Sequence[int]:
    seeds = range(1, given + 1) if isinstance(given, int) else given
    if wrong := [given] if not seeds else [seed for seed in seeds if seed < 1]:
        raise Refusal(f"Seeds must be 1 or more, not {wrong[0]}")
    return seeds
