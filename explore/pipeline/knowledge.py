"""What is known of stages before they are computed: columns from rows, outcomes from a store.

A row holds the recipe of every stage that its columns come from. Its columns for a stage are used
again if, and only if, the recipe is the same today. So the next sweep can begin from committed
results, on a machine whose store is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..atomic import atomic_write
from ..data.rows import is_sealed
from ..data.versions import CORES, core_version, known_cores
from ..netlist.timing import with_names
from ..outcome import Failure, Outcome, Retry, StageFailed, Status
from ..points.possible import obstacle
from ..store import Store
from ..store.artefacts import Damaged, unpacked
from .graph import Cell, Node, Reading
from .stage import Reader, Scope, hash_of
from .stages import stages
from .stages.elaborate import NAMES

__all__ = ["CoreFile", "Knowledge", "reading_of", "sealed_line"]


class Knowledge:
    """Columns from rows, and outcomes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        #: Rows by stage and recipe.
        self._rows: dict[tuple[str, str], Mapping[str, Any]] = {}
        #: Outcomes that count for this process alone, by key.
        self._failed: dict[str, Outcome] = {}

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take rows of earlier sweeps; one that was changed after it was written is left out."""
        for row in rows:
            if row.get("recipe") and is_sealed(row):
                self._add(row)

    def _add(self, row: Mapping[str, Any]) -> None:
        last = _last(row)
        for stage, recipe in row["recipe"].items():
            # A failure that may not occur again is no reading.
            if stage != last or Status(row["status"]).is_final:
                self._rows[stage, recipe] = row
            elif row["status"] == Status.TIMEOUT:
                self._rows.setdefault((stage, recipe), row)

    def read_rows(self, cell: Cell) -> None:
        """Have the nodes of a cell note their columns in rows."""
        if stored := self._store.row(cell.job.point.identity(cell.job.seed)):
            self._add(stored)
        for node in cell.nodes.values():
            if node.reading is None and node.stage.columns and node.stage.in_rows:
                node.reading = self._reading(node)

    def _reading(self, node: Node) -> Reading | None:
        name, failure = node.stage.name, None
        row = self._rows.get((name, node.recipe))
        if row is None:
            return None
        last, status = _last(row), Status(row["status"])
        if name == last and status == Status.TIMEOUT:
            limit_s = row.get(f"seconds_{name}") or 0
            if node.timeout_s is None or node.timeout_s > limit_s:
                return None
        if name == last and not status.is_success:
            message, _, log = (row["log"] or status).partition("\n")
            failure = Failure(status=status, message=message, log=log or message,
                              retry=Retry.LONGER if status == Status.TIMEOUT else Retry.NEVER,
                              limit_s=row.get(f"seconds_{name}"))
        program = node.stage.program(node.job)
        short = program.partition("-")[0]
        return Reading(
            failure=failure, key=row["key"] if name == last else None,
            columns={column.name: row.get(column.name) for column in node.stage.columns},
            host=row["host"], date=row["date"],
            arguments={key: value for key, value in row["arguments"].items() if key == program},
            versions={key: value for key, value in row["versions"].items()
                      if key in (short, "amaranth", "montgomery", "python")})

    def outcome(self, node: Node) -> Outcome | None:
        """Return the outcome of a node and have it read; None if it must be computed."""
        outcome = self._failed.get(node.key) or _refused(node)
        if outcome is None or (outcome.failure.retry == Retry.LONGER
                               and not outcome.stands(node.timeout_s)):
            outcome = self._store.outcome(node.key)
            if outcome is None or not outcome.stands(node.timeout_s):
                return None
            if not node.stage.covers(node.spec, outcome):
                node.spec = node.stage.resumed(node.spec, outcome)
                return None
        reading = node.reading
        if reading is None or reading.failure:
            folder = self._store.files(node.key)
            try:
                reading = reading_of(node, outcome,
                                     lambda name: unpacked(folder, outcome.files, name),
                                     self._store)
            except Damaged:
                if self._store.writable:
                    self._forget(node.key, outcome)
                return None
            if not outcome.failure and reading.failure and not reading.failure.stands(
                    node.timeout_s):
                return None
            node.note(reading)
        return outcome

    def keep(self, node: Node) -> None:
        """Keep an outcome that another process would compute again, for this one."""
        if node.outcome is not None and not node.outcome.stands(node.timeout_s):
            self._failed[node.key] = node.outcome

    def forget(self, node: Node) -> None:
        """Forget an outcome, whose files are needed, and damaged or missing."""
        self._forget(node.key, node.outcome)

    def _forget(self, key: str, outcome: Outcome | None) -> None:
        """Forget an outcome, unless another process makes it again, or has done so."""
        lock = self._store.lock(key)
        if lock is not None:
            try:
                if self._store.outcome(key) in (None, outcome):
                    self._store.forget(key)
            finally:
                lock.release()


def _last(row: Mapping[str, Any]) -> str | None:
    """Return the last stage of which a row has the recipe; if a stage failed, it is that stage."""
    return next((name for name in reversed(list(stages())) if name in row["recipe"]), None)


def _refused(node: Node) -> Outcome | None:
    """Return the outcome of making a core for a device that it cannot be on; None for others."""
    stage, job = node.stage, node.job
    if not (stage.transparent and stage.scope == Scope.POINT):
        return None
    reason = obstacle(job.params, job.device, job.options)
    return Outcome(failure=Failure(status=Status.NO_FIT, message=reason, log=reason,
                                   retry=Retry.NEVER)) if reason else None


def reading_of(node: Node, outcome: Outcome, file: Reader, store: Store) -> Reading:
    """Return the part of a row that describes a stage with this outcome.

    ``file`` returns the contents of a file that the stage kept, or raises :exc:`Damaged`; the store
    has the files of earlier stages.
    """
    columns: dict[str, Any] = {}
    stage, failure = node.stage, outcome.failure
    if failure is None and stage.reader is not None:
        try:
            columns = type(stage).reader(outcome.facts, file, **stage.reads_by(node.job))
        except StageFailed as error:
            failure = error.failure
    if columns.get("critical_path"):
        columns["critical_path"] = with_names(columns["critical_path"], _names(node, store))
    seconds = f"seconds_{stage.name}"
    if any(column.name == seconds for column in stage.columns):
        columns = {**columns, seconds: outcome.seconds}
    arguments = stage.arguments(node.spec)
    return Reading(failure=failure, columns=columns, key=node.key, host=outcome.host,
                   date=outcome.date, versions=dict(outcome.versions),
                   arguments={} if arguments is None else {stage.program(node.job): arguments})


def _names(node: Node, store: Store) -> Mapping[str, str]:
    """Return the names that the core of a placement has inside; none if they are not stored."""
    design = node.needs["synth"].needs["design"]
    try:
        return json.loads(unpacked(store.files(design.key), design.outcome.files, NAMES))
    except Damaged:
        return {}


#: The stages of which the file has outcomes.
_STAGES = ("elaborate", "design", "stimuli", "verify")


class CoreFile:
    """The file beside rows with what is known of their cores, which no row says.

    It has a line for each outcome that takes no file along: what the RTLIL of a core is, by the
    contents of its sources, and which runs of its verification have passed. Each line carries a
    seal, as rows do. Lines that are not as they were written are left out, which ``note`` says.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / CORES
        #: From keys to names of stages, and their outcomes without files.
        self.outcomes: dict[str, tuple[str, Outcome]] = {}
        self._lines: dict[str, str] = {}
        lines = list(known_cores(folder))
        for line, entry in lines:
            if entry is not None:
                self.outcomes[entry["key"]] = entry["stage"], Outcome.from_json(entry["outcome"])
                self._lines[entry["key"]] = line
        wrong = sum(entry is None for _, entry in lines)
        self.note = (f"{wrong} of {len(lines)} lines of {self._path} are not as this program "
                     "writes them and are left out; what they said of cores is found out again"
                     if wrong else "")

    def write(self, cells: Iterable[Cell], *, beside: bool = False) -> None:
        """Write the outcomes of the cores of cells; all others go, unless they stay ``beside``."""
        lines = dict(self._lines) if beside else {}
        for cell in cells:
            for name in _STAGES:
                node = cell.nodes.get(name)
                if node is not None and node.outcome is not None and not node.outcome.failure:
                    lines[node.key] = self._line(node, cell)
        if lines:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(self._path) as partial:
                partial.write_text("".join(f"{line}\n" for line in sorted(lines.values())), "utf-8")

    def _line(self, node: Node, cell: Cell) -> str:
        known = self.outcomes.get(node.key)
        if known is not None and known[1].facts == node.outcome.facts:
            return self._lines[node.key]
        version = {"version": core_version(cell.job.params)
                   } if "rtlil" in node.outcome.facts else {}
        outcome = {name: value for name, value in node.outcome.to_json().items()
                   if name not in ("files", "failure")}
        return sealed_line({"core": node.label, "stage": node.stage.name, "key": node.key,
                            **version, "outcome": outcome})


def sealed_line(entry: Mapping[str, Any]) -> str:
    """Return the line of an entry, with its seal."""
    return json.dumps({**entry, "seal": hash_of(entry)})
