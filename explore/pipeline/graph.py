"""The stages of a sweep as a graph in which equal work is one node."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..devices import target
from ..outcome import Failure, Outcome, Status
from ..points.point import Point
from .stage import Job, Spec, Stage, Tools
from .stages import stages

__all__ = ["Cell", "Graph", "Node", "Reading", "seeds_of"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reading:
    """What a row says of one stage.

    Attributes
    ----------
    failure : Failure or None
        None if the stage succeeded.
    columns : dict
        Values of the columns of the stage, as far as they are known.
    arguments, versions : dict
        What the row says of the programs that the stage ran.
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


@dataclasses.dataclass(eq=False)
class Node:
    """One stage of one or more measurements.

    Attributes
    ----------
    job : Job
        One of the measurements; the others have the same specification.
    weight : int
        Rough measure of how long it takes, comparable within a stage.
    needs : dict from str to Node
        By name, the stages that must have succeeded before.
    source : Node or None
        The one whose files the stage reads.
    fetches : Node or None
        Another one whose files lie in the workspace, and which runs only if this one has to run.
    identity, lineage, recipe, key : str
        See :mod:`explore.pipeline.stage`; all but the first are None until they are known.
    outcome : Outcome or None
        None until it is known. It stays None if a stage before has failed, or if an earlier row
        says all that is needed of this stage.
    reading : Reading or None
        What rows say of the stage; None until it is known.
    """

    stage: Stage
    job: Job
    label: str
    weight: int
    needs: dict[str, Node]
    source: Node | None
    fetches: Node | None
    identity: str
    users: list[Node] = dataclasses.field(default_factory=list)
    spec: Spec | None = None
    lineage: str | None = None
    recipe: str | None = None
    key: str | None = None
    outcome: Outcome | None = None
    reading: Reading | None = None

    @property
    def failure(self) -> Failure | None:
        """Why stages after this one cannot be computed; None if they can, as far as is known."""
        if self.outcome is not None and self.outcome.failure:
            return self.outcome.failure
        return self.reading.failure if self.reading else None

    def note(self, reading: Reading) -> None:
        """Take what rows say of the stage, unless an earlier row said it."""
        if self.reading is None or self.reading.failure:
            self.reading = reading

    def specify(self, tools: Tools) -> None:
        """Compute specification and key, once all stages before have outcomes."""
        given = {name: _facts(need) for name, need in self.needs.items()}
        self.spec = self.stage.specify(self.job, given, tools)
        self.key = self.stage.hashed(self.spec)

    def find_recipe(self, tools: Tools) -> None:
        """Compute lineage and recipe, once all stages of elaboration before have outcomes."""
        given = {name: _facts(need) if need.stage.transparent
                 else need.stage.standing_for(need.lineage) for name, need in self.needs.items()}
        self.lineage = self.stage.hashed(self.stage.specify(self.job, given, tools))
        self.recipe = self.stage.recipe(self.job, self.lineage)


def _facts(node: Node) -> dict[str, str]:
    return {fact: node.outcome.facts[fact] for fact in node.stage.facts}


@dataclasses.dataclass(frozen=True, eq=False)
class Cell:
    """One point with one seed, and the nodes that measure it by stage, in their order.

    Stages that do not apply have no node.
    """

    job: Job
    nodes: dict[str, Node]

    @property
    def point(self) -> Point:
        return self.job.point

    @property
    def seed(self) -> int:
        return self.job.seed


class Graph:
    """The nodes of measurements, each once.

    Parameters
    ----------
    tools : Tools
        What is known of the programs that stages run.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._nodes: dict[str, Node] = {}

    @property
    def nodes(self) -> list[Node]:
        """All nodes that were made, each after those it needs."""
        return list(self._nodes.values())

    def cell(self, job: Job) -> Cell:
        """Return the nodes that measure a point with a seed.

        Raises
        ------
        ToolMissing
            If there is no program that a stage needs.
        """
        nodes: dict[str, Node] = {}
        for name, stage in stages().items():
            if stage.applies(job, self._tools):
                nodes[name] = self._node(stage, job, nodes)
        return Cell(job, nodes)

    def _node(self, stage: Stage, job: Job, before: Mapping[str, Node]) -> Node:
        needs = {name: before[name] for name in stage.needs if name in before}
        given = {name: need.stage.standing_for(need.identity) for name, need in needs.items()}
        identity = stage.hashed(stage.specify(job, given, self._tools))
        node = self._nodes.get(identity)
        if node is None:
            node = Node(stage=stage, job=job, label=stage.label(job), weight=job.point.width,
                        needs=needs, source=before.get(stage.reads),
                        fetches=before.get(stage.fetches), identity=identity)
            self._nodes[identity] = node
            for need in needs.values():
                need.users.append(node)
        return node


def seeds_of(points: Mapping[Point, int]) -> list[Job]:
    """Return each point with each of its seeds; what is not placed has one seed, 1.

    Parameters
    ----------
    points : dict from Point to int
        Each with its number of seeds, which are 1, 2…

    Raises
    ------
    ValueError
        If there are no seeds.
    """
    jobs = []
    for point, seeds in points.items():
        if seeds < 1:
            raise ValueError(f"Seeds must be 1 or more, not {seeds}")
        params, device, options = point.parameters(), target(point.target), dict(point.options)
        jobs += [Job(params=params, device=device, options=options, seed=seed, point=point)
                 for seed in range(1, seeds + 1 if device.placer else 2)]
    return jobs
