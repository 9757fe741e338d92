"""A file beside rows with what is known of their cores, which no row says.

It has a line for each outcome that takes no file along: what the RTLIL of a core is, by the
contents of its sources, and which runs of its verification have passed. So whoever has the rows
need not elaborate and verify the cores again, and a better verification changes no row. Each line
carries a seal, as rows do: an outcome under the key of another core would be believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..atomic import atomic_write
from ..data.versions import CORES, core_version
from ..outcome import Outcome
from .graph import Cell
from .node import Node
from .stage import hash_of

__all__ = ["NAME", "CoreFile", "sealed_line"]

#: Name of the file, in the folder of the rows.
NAME = CORES
#: The stages of which the file has outcomes.
_STAGES = ("elaborate", "design", "stimuli", "verify")


class CoreFile:
    """The file of a folder of rows; lines that are not as they were written are left out.

    Attributes
    ----------
    outcomes : dict from str to (str, Outcome)
        From keys to names of stages, and their outcomes without files.
    note : str
        How many lines are left out, as a sentence; empty if none is.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self.outcomes: dict[str, tuple[str, Outcome]] = {}
        self._lines: dict[str, str] = {}
        lines = self._read()
        wrong = len(lines) - sum(map(self._take, lines))
        self.note = (f"{wrong} of {len(lines)} lines of {self._path} are not as this program "
                     "writes them and are left out; what they said of cores is found out again"
                     if wrong else "")

    def _take(self, line: str) -> bool:
        """Take the outcome of a line, and return whether the line carries its seal."""
        try:
            entry = json.loads(line)
            if entry.pop("seal") != hash_of(entry):
                return False
            outcome = Outcome.from_json(entry["outcome"])
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return False
        self.outcomes[entry["key"]] = entry["stage"], outcome
        self._lines[entry["key"]] = line
        return True

    def _read(self) -> list[str]:
        try:
            return self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return []

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
        version = {"version": core_version(cell.job.params)
                   } if "rtlil" in node.outcome.facts else {}
        known = self.outcomes.get(node.key)
        if (known is not None and known[1].facts == node.outcome.facts
                and (not version or "version" in json.loads(self._lines[node.key]))):
            return self._lines[node.key]
        outcome = {name: value for name, value in node.outcome.to_json().items()
                   if name not in ("files", "failure")}
        return sealed_line({"core": node.label, "stage": node.stage.name, "key": node.key,
                            **version, "outcome": outcome})


def sealed_line(entry: Mapping[str, Any]) -> str:
    """Return the line of an entry, with its seal."""
    return json.dumps({**entry, "seal": hash_of(entry)})
