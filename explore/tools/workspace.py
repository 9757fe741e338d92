"""What a stage may know of the programs where it runs, and the folder in which it runs them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from .compiler import Compiler
from .processes import Processes
from .run import run_tool

__all__ = ["Tools", "Workspace"]


class Tools(Protocol):
    """The programs of the place where stages run."""

    @property
    def compiler(self) -> Compiler | None:
        """The C++ compiler; None where there is none."""

    def identity(self, name: str, *, packaged: bool = False) -> str:
        """Return a hash of the contents of a program.

        Parameters
        ----------
        packaged : bool
            Of the one in its Python package, whatever the environment names.
        """


@dataclasses.dataclass(frozen=True)
class Workspace:
    """A folder in which one stage runs, and what it may run there.

    Attributes
    ----------
    processes : Processes or None
        What starts programs; None for stages that start none.
    timeout_s : float or None
        Time limit of each program.
    """

    folder: Path
    processes: Processes | None = None
    timeout_s: float | None = None

    def run(self, name: str, command: Sequence[str]) -> None:
        """Run a program in the folder.

        Raises
        ------
        StageFailed
            If it fails.
        DiskFull
            If it fails for want of room.
        """
        run_tool(name, command, self.folder, self.processes, self.timeout_s)
