"""The stages of a sweep as a graph in which equal work is one node."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .points import Point
from .stages import compile_spec, elaborate_spec, place_spec, stage_key, synth_spec, verify_spec
from .targets import target

if TYPE_CHECKING:
    from montgomery import Parameters

    from .simulation.compiler import Compiler

__all__ = ["Builder", "Cell", "Node", "build", "reusable", "seeds_of"]

#: Random operands of each verification, and their seed.
_VECTORS, _VERIFY_SEED = 24, 0


@dataclasses.dataclass(eq=False)
class Node:
    """One stage of one or more points.

    Attributes
    ----------
    weight : int
        Rough measure of how long it takes, comparable within a stage.
    needs : tuple of Node
        What must end with status ``ok`` before.
    source : Node or None
        The one of ``needs`` whose files are read.
    specify : callable
        Returns the specification, once all of ``needs`` have their outcomes.
    outcome : dict or None
        None before it is known, and for ever if one of ``needs`` failed.
    admitted : bool
        Its needs are finished, and it is queued, running or finished.
    """

    stage: str
    label: str
    weight: int
    needs: tuple[Node, ...]
    source: Node | None
    specify: Callable[[], dict[str, Any]]
    users: list[Node] = dataclasses.field(default_factory=list)
    spec: dict[str, Any] | None = None
    key: str | None = None
    outcome: dict[str, Any] | None = None
    admitted: bool = False
    finished: bool = False

    @property
    def ready(self) -> bool:
        return all(need.finished for need in self.needs)

    @property
    def possible(self) -> bool:
        return all(need.outcome and need.outcome["status"] == "ok" for need in self.needs)

    def resolve(self) -> None:
        """Compute specification and key."""
        self.spec = self.specify()
        self.key = stage_key(self.spec)


@dataclasses.dataclass(frozen=True)
class Cell:
    """One point with one seed, and the nodes that measure it by stage, in their order.

    Where nothing is compiled or placed, there is no node of that stage. ``made for`` is what is
    synthesised, a second elaboration where that is for a technology, and else the first.
    """

    point: Point
    seed: int
    nodes: dict[str, Node]

    @property
    def last(self) -> Node:
        return self.nodes.get("place") or self.nodes["synth"]


class Builder:
    """Makes the nodes of points, each node once."""

    def __init__(self, version: Callable[[str], str], compiler: Compiler | None) -> None:
        self._version, self._compiler = version, compiler
        self._nodes: dict[tuple, Node] = {}

    def _node(self, identity: tuple, label: str, point: Point, needs: Sequence[Node],
              specify: Callable[[], dict[str, Any]], source: Node | None = None) -> Node:
        node = self._nodes.get(identity)
        if node is None:
            node = Node(stage=identity[0], label=label, weight=point.width, needs=tuple(needs),
                        specify=specify, source=source)
            self._nodes[identity] = node
            for need in needs:
                need.users.append(node)
        return node

    def _elaborate(self, point: Point, params: Parameters) -> Node:
        return self._node(("elaborate", *_design(point)), _core(point), point, (),
                          lambda: elaborate_spec(params))

    def design(self, point: Point) -> Node:
        """Return the elaboration of what is synthesised for a point."""
        params = point.parameters()
        if params.portable:
            return self._elaborate(point, params)
        technology = target(point.target).technology_for(dict(point.options))
        return self._node(("elaborate", *_design(point), technology.name),
                          f"{_core(point)} for {technology.name}", point, (),
                          lambda: elaborate_spec(params, technology))

    def cell(self, point: Point, seed: int) -> Cell:
        """Return the nodes that measure a point with one seed."""
        device, options = target(point.target), dict(point.options)
        params = point.parameters()
        design, core = _design(point), _core(point)
        elaborate = self._elaborate(point, params)
        library = self._compiler and self._node(
            ("compile", *design), core, point, (elaborate,),
            lambda: compile_spec(params, elaborate.outcome, self._compiler), elaborate)
        verify = self._node(
            ("verify", *design), core, point, (elaborate, library) if library else (elaborate,),
            lambda: verify_spec(params, elaborate.outcome, vectors=_VECTORS, seed=_VERIFY_SEED),
            library)
        made_for = self.design(point)
        made = (*design, device.technology_for(options).name,
                tuple(device.synth_commands("", options)))
        synth = self._node(
            ("synth", *made), point.label, point, (made_for, verify),
            lambda: synth_spec(device, options, made_for.outcome, self._version("yosys")),
            made_for)
        place = device.placer and self._node(
            ("place", *made, device.placer, tuple(device.place_arguments(options, seed)),
             *device.sites_for(options)),
            f"{point.label} seed {seed}", point, (synth,),
            lambda: place_spec(device, options, seed, synth.outcome,
                               self._version(device.placer)), synth)
        nodes = {"elaborate": elaborate, "compile": library, "verify": verify,
                 "made for": made_for, "synth": synth, "place": place}
        return Cell(point, seed, {stage: node for stage, node in nodes.items() if node})

    def nodes(self) -> list[Node]:
        """Return all nodes that were made, each after those it needs."""
        return list(self._nodes.values())


def _design(point: Point) -> tuple:
    return point.kind, point.arch, point.params


def _core(point: Point) -> str:
    return point.label.rpartition(" on ")[0]


def seeds_of(points: Mapping[Point, int]) -> list[tuple[Point, int]]:
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
    for seeds in points.values():
        if seeds < 1:
            raise ValueError(f"Seeds must be 1 or more, not {seeds}")
    return [(point, seed) for point, seeds in points.items()
            for seed in range(1, seeds + 1 if target(point.target).placer else 2)]


def build(points: Mapping[Point, int], version: Callable[[str], str],
          compiler: Compiler | None) -> tuple[list[Node], list[Cell]]:
    """Return the nodes, each after those it needs, and the cells, one a point and seed.

    Parameters
    ----------
    points : dict from Point to int
        As for :func:`seeds_of`.
    version : callable
        Returns the version of a tool.
    compiler : Compiler or None
        What compiles the simulation of cores.
    """
    builder = Builder(version, compiler)
    cells = [builder.cell(point, seed) for point, seed in seeds_of(points)]
    return builder.nodes(), cells


def reusable(outcome: dict[str, Any] | None, timeout_s: float | None) -> bool:
    """Return whether a stored outcome stands, rather than deserve another attempt."""
    if outcome is None:
        return False
    if outcome["status"] == "ok" or outcome["retry"] == "never":
        return True
    if outcome["retry"] == "longer":
        limit_s = outcome["limit_s"]
        return limit_s is None or (timeout_s is not None and timeout_s <= limit_s)
    return False
