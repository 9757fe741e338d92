"""Finds out, stage by stage, which stages of sweeps are known and which must be computed."""

from __future__ import annotations

import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..data.stored import stored_row
from ..outcome import Failure, Outcome, Retry, StageFailed, Status
from ..points.possible import obstacle
from ..store import Store
from ..store.artefacts import Damaged, unpacked
from .graph import Cell, Node, Reading
from .reuse import Earlier
from .stage import Reader, Scope, Tools

__all__ = ["Walk", "reading_of"]


class Walk:
    """A walk through the nodes of a graph, in the order of their dependencies.

    A sweep computes the nodes that the walk makes ready; a plan only counts them.

    Every elaboration needs an outcome, since the recipes of all other stages depend on it. Another
    stage needs an outcome if a row needs its columns and no earlier row has them under the same
    recipe, or if a stage that has to be computed depends on it.

    Parameters
    ----------
    tools : Tools
        The programs of specifications.
    store : Store
        An open store, whose outcomes need no computation.
    on_finish : callable
        Called as ``on_finish(node, cached)`` when a node is finished: its outcome or its columns
        are known, or an earlier stage failed.

    Attributes
    ----------
    ready : list of Node
        Nodes that can be computed now. The caller removes them, and calls :meth:`finish` for each.
    counted : set of Node
        Nodes for which ``on_finish`` was called. All other nodes are to be computed.
    resolved : bool
        Whether all cells were compared with earlier rows, for which their recipes must be known.
    """

    def __init__(self, tools: Tools, store: Store,
                 on_finish: Callable[[Node, bool], None]) -> None:
        self._tools, self._store, self._on_finish = tools, store, on_finish
        #: Rows of earlier sweeps that the caller gave, and rows of the store.
        self._earlier, self._stored_rows = Earlier(), Earlier()
        #: Outcomes whose files are nowhere, by key, and nodes that have such an outcome.
        self._known: dict[str, Outcome] = {}
        self._bare: set[Node] = set()
        #: Nodes that could be computed but for these files.
        self._lacking: list[Node] = []
        self.ready: list[Node] = []
        self.counted: set[Node] = set()
        self._finished: set[Node] = set()
        self._wanted: set[Node] = set()
        self._admitted: set[Node] = set()
        self._waiting: defaultdict[Node, list[Node]] = defaultdict(list)
        self._failed_here: dict[str, Outcome] = {}
        self._unresolved: dict[Node, list[Cell]] = {}
        self._resolved: set[Cell] = set()

    @property
    def resolved(self) -> bool:
        return not self._unresolved

    def add(self, cells: Sequence[Cell], before: Iterable[dict] = (),
            known: Mapping[str, Outcome] = types.MappingProxyType({})) -> None:
        """Add cells; stages that rows of ``before`` describe, or that are known by key, need no
        computation.
        """
        self._earlier.add(before)
        self._known |= known
        for cell in cells:
            for node in _elaborations(cell):
                if node not in self._finished:
                    self._unresolved.setdefault(node, []).append(cell)
        for cell in cells:
            for node in _elaborations(cell):
                self.want(node)
            self._resolve_if_elaborated(cell)

    def known(self, node: Node) -> Outcome | None:
        """Return the stored outcome of a node and note its reading; None if it must be computed."""
        outcome = self._failed_here.get(node.key) or _refused(node)
        if outcome is None:
            # A file is checked when it is read.
            outcome = self._store.outcome(node.key, needed=())
            if outcome is None and (outcome := self._known.get(node.key)) is not None:
                self._bare.add(node)
            if outcome is None or not outcome.stands(node.timeout_s):
                return None
            if not node.stage.covers(node.spec, outcome):
                node.spec = node.stage.resumed(node.spec, outcome)
                return None
        reading = self._stored_rows.reading(node) if node.recipe else None
        if reading is None:
            try:
                reading = reading_of(node, outcome, self._stored(node, outcome))
            except Damaged:
                if self._store.writable:
                    self._store.forget(node.key)
                return None
        if not outcome.failure and reading.failure and not reading.failure.stands(node.timeout_s):
            return None
        node.note(reading)
        return outcome

    def finish(self, node: Node, outcome: Outcome | None, *, cached: bool = False) -> None:
        """Take the outcome of a node, whose reading was noted; None if an earlier stage failed."""
        node.outcome = outcome
        if outcome is not None and not outcome.stands(node.timeout_s):
            self._failed_here[node.key] = outcome
        self._finished.add(node)
        self._count(node, cached=cached)
        for cell in self._unresolved.pop(node, ()):
            self._resolve_if_elaborated(cell)
        for user in (*node.users, *self._waiting.pop(node, ())):
            self._consider(user)

    def lost(self, node: Node, user: Node) -> None:
        """Make a node ready again, whose files are damaged or missing, and then ``user``."""
        self._store.forget(node.key)
        self._bare.discard(node)
        node.outcome = node.reading = None
        self._finished.discard(node)
        self._admitted -= {node, user}
        if user.fetches is node:
            self._waiting[node].append(user)
        self._wanted.add(node)
        self._consider(node)

    def restore(self) -> None:
        """Make nodes ready again of which outcomes are known, but whose files are needed."""
        lacking, self._lacking = self._lacking, []
        sources = self._bare.intersection(source for node in lacking for source in node.inputs)
        for node in lacking:
            self._admitted.discard(node)
            if node.fetches in sources:
                self._waiting[node.fetches].append(node)
        for source in sources:
            self._known.pop(source.key, None)
            self.lost(source, source)

    def _stored(self, node: Node, outcome: Outcome) -> Reader:
        folder = self._store.files(node.key)
        return lambda name: unpacked(folder, outcome.files, name)

    def _resolve_if_elaborated(self, cell: Cell) -> None:
        elaborations = _elaborations(cell)
        if cell not in self._resolved and all(each in self._finished for each in elaborations):
            self._resolved.add(cell)
            self._resolve(cell)

    def _resolve(self, cell: Cell) -> None:
        """Take the columns of an elaborated cell from earlier rows, and ask for the others."""
        row = stored_row(self._store, cell.point.identity(cell.seed))
        if row is not None:
            self._stored_rows.add([row], sealed=True)
        nodes = [node for node in cell.nodes.values() if not node.stage.transparent]
        if all(node.outcome and not node.outcome.failure for node in _elaborations(cell)):
            for node in nodes:
                if node.recipe is None and node.stage.columns and node.stage.in_rows:
                    node.find_recipe(self._tools)
                if node.reading is None and node.stage.columns:
                    node.reading = self._earlier.reading(node)
        for node in cell.measuring:
            if node.stage.transparent:
                continue
            if node.reading is None:
                self.want(node)
            elif node not in self._wanted:
                self._count(node, cached=True)

    def want(self, node: Node) -> None:
        """Ask for the outcome of a node, and of the earlier nodes that it needs."""
        if node in self._wanted:
            return
        self._wanted.add(node)
        if not self._is_vain(node):
            for need in node.needs.values():
                if not _suffices(need):
                    self.want(need)
        self._consider(node)

    def _is_vain(self, node: Node) -> bool:
        """Return whether a node cannot be computed, since one that it needs has failed."""
        return any(self._settled(need) and (need.reading is None or need.failure)
                   for need in node.needs.values())

    def _settled(self, node: Node) -> bool:
        return _suffices(node) or node in self._finished

    def _consider(self, node: Node) -> None:
        """Finish a node or make it ready, if all nodes that it needs are settled."""
        if node not in self._wanted or node in self._admitted:
            return
        if not self._is_vain(node) and not all(map(self._settled, node.needs.values())):
            return
        if node.fetches in self._wanted and not self._settled(node.fetches):
            self._waiting[node.fetches].append(node)
            return
        self._admitted.add(node)
        if self._is_vain(node):
            self.finish(node, None)
            return
        fetched = node.fetches
        node.specify(self._tools)
        if fetched is not None and node.fetches is None:
            self._release(fetched)
        outcome = self.known(node)
        if outcome is not None:
            self.finish(node, outcome, cached=True)
        elif node.fetches is None or node.fetches in self._finished:
            if node.fetches and (node.fetches.outcome is None or node.fetches.failure):
                self.finish(node, None)
            elif self._bare.intersection(node.inputs):
                self._lacking.append(node)
            else:
                self.ready.append(node)
        else:
            self._admitted.discard(node)
            self._waiting[node.fetches].append(node)
            self.want(node.fetches)

    def _count(self, node: Node, *, cached: bool) -> None:
        if node not in self.counted:
            self.counted.add(node)
            self._on_finish(node, cached)
            if node.fetches is not None and node.fetches not in self._wanted:
                node.fetches.fetchers -= 1
                self._release(node.fetches)
            for need in node.needs.values():
                # What is known of a stage is known without those that it needs.
                if need not in self._wanted and self.counted.issuperset(need.users):
                    self._count(need, cached=True)

    def _release(self, fetched: Node) -> None:
        """Count a node whose files were to be fetched, if no other stage needs them either."""
        if fetched.fetchers == 0 and fetched not in self._wanted:
            self._count(fetched, cached=True)


def _elaborations(cell: Cell) -> list[Node]:
    return list(dict.fromkeys(node for node in cell.nodes.values() if node.stage.transparent))


def _refused(node: Node) -> Outcome | None:
    """Return the outcome of making a core for a device that it cannot be on; None for others."""
    stage, job = node.stage, node.job
    if not (stage.transparent and stage.scope == Scope.POINT):
        return None
    reason = obstacle(job.params, job.device, job.options)
    return Outcome(failure=Failure(status=Status.NO_FIT, message=reason, log=reason,
                                   retry=Retry.NEVER)) if reason else None


def _suffices(node: Node) -> bool:
    """Return whether everything that later stages need of a node is known."""
    if node.outcome is not None:
        return True
    # Later stages only need to know whether a stage without facts succeeded.
    return node.reading is not None and not node.reading.failure and not node.stage.facts


def reading_of(node: Node, outcome: Outcome, file: Reader) -> Reading:
    """Return the part of a row that describes a stage with this outcome.

    Parameters
    ----------
    file : callable
        Returns the contents of a file that the stage kept.

    Raises
    ------
    Damaged
        If a file is missing, or its contents are not those that were stored.
    """
    stage, failure, columns = node.stage, outcome.failure, {}
    if failure is None:
        try:
            columns = stage.read(node.job, outcome, file)
        except StageFailed as error:
            failure = error.failure
    seconds = f"seconds_{stage.name}"
    if any(column.name == seconds for column in stage.columns):
        columns = {**columns, seconds: outcome.seconds}
    arguments = stage.arguments(node.spec)
    return Reading(failure=failure, columns=columns, key=node.key, host=outcome.host,
                   date=outcome.date, versions=dict(outcome.versions),
                   arguments={} if arguments is None else {stage.program(node.job): arguments})
