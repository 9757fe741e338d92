"""The jobs of a sweep, and the graph of their stages, in which equal stages are one node."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..devices import target
from ..errors import Refusal
from ..points.point import Point
from .node import Node, facts_of
from .stage import Job, Scope, Stage, Tools
from .stages import stages, through

__all__ = ["Cell", "Graph", "jobs_of"]


@dataclasses.dataclass(eq=False, slots=True, weakref_slot=True)
class Cell:
    """One point with one seed, and the nodes that measure it.

    Attributes
    ----------
    nodes : dict from str to Node
        The node of each stage, in the order of the stages. A stage that does not apply to the job,
        or comes after the last one that was asked for, has no node. Until the core is elaborated,
        and if that fails, there are the nodes of its elaborations alone.
    is_elaborated, is_whole : bool
        Whether the elaborations have ended, and whether all nodes are there.
    is_partial : bool
        Whether stages that bring columns are left out because nobody asked for them.
    row : dict or None
        The row; None until it is made.
    """

    job: Job
    nodes: dict[str, Node]
    is_elaborated: bool = False
    is_whole: bool = False
    is_partial: bool = False
    row: dict[str, Any] | None = None

    @property
    def point(self) -> Point:
        return self.job.point

    @property
    def seed(self) -> int:
        return self.job.seed

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
    """The nodes of measurements. Nodes with one lineage are one node.

    Attributes
    ----------
    nodes : dict from str to Node
        By lineage. Each node stands after the nodes that it needs.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self.nodes: dict[str, Node] = {}
        #: Nodes by all that the stage depends on, to find equal nodes without a specification.
        self._made: dict[tuple, Node] = {}

    def cell(self, job: Job) -> Cell:
        """Return a cell with the elaborations that measure a point with a seed.

        Raises
        ------
        ToolMissing
            If a program that a stage needs is missing.
        """
        cell = Cell(job, {})
        for name, stage in through(job.until).items():
            if stage.applies(job, self._tools):
                for program in stage.programs(job) if stage.columns else ():
                    self._tools.identity(program)
                if stage.transparent:
                    cell.nodes[name] = self._node(stage, job, {})
        return cell

    def complete(self, cell: Cell) -> None:
        """Add the other nodes to a cell whose elaborations have succeeded, but for those to fetch.
        """
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
        mark = (stage, *_depends(stage.scope, job), *(before.get(name) for name in stage.after))
        node = self._made.get(mark)
        if node is None:
            node = self._made[mark] = self._new(stage, job, before)
        if node.timeout_s is not None and (job.timeout_s is None or job.timeout_s > node.timeout_s):
            node.timeout_s = job.timeout_s
        return node

    def _new(self, stage: Stage, job: Job, before: Mapping[str, Node]) -> Node:
        needs = {name: before[name] for name in stage.after if name in before}
        given = {name: facts_of(name, need) if need.stage.transparent
                 else stages()[name].standing_for(need.lineage) for name, need in needs.items()}
        spec = stage.specify(job.within(stage.scope), given, self._tools)
        lineage = stage.hashed(spec)
        node = self.nodes.get(lineage)
        if node is None:
            node = self.nodes[lineage] = Node(
                stage=stage, job=job, timeout_s=job.timeout_s, needs=needs, given=given, spec=spec,
                source=before.get(stage.reads), lineage=lineage)
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
    timeout_s, until
        See :class:`Job`.

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
