"""The programs and the folder that a stage may use."""

from __future__ import annotations

import dataclasses
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from .compiler import Compiler
from .processes import Processes
from .run import run_tool
from .verilator import Verilator

__all__ = ["Tools", "Workspace", "this_machine"]


def this_machine() -> str:
    """Return :attr:`Tools.machine` of this process."""
    return " ".join([sys.platform, platform.machine(), *platform.libc_ver()])


class Tools(Protocol):
    """The programs of the place at which stages run."""

    @property
    def compiler(self) -> Compiler | None:
        """The C++ compiler; None where there is none."""

    @property
    def verilator(self) -> Verilator | None:
        """Verilator; None where there is none, or no C++ compiler for what it writes."""

    @property
    def machine(self) -> str:
        """Operating system, processor and C library, on which compiled code depends."""

    def identity(self, name: str, *, packaged: bool = False) -> str:
        """Return a hash of a program; of that of the package, whatever a variable names, or not."""


@dataclasses.dataclass(frozen=True)
class Workspace:
    """The folder in which one stage runs, and what runs its programs, each with a time limit."""

    folder: Path
    processes: Processes | None = None
    timeout_s: float | None = None

    def run(self, name: str, command: Sequence[str],
            environment: Mapping[str, str] | None = None) -> None:
        """Run a program in the folder, with some more environment variables."""
        run_tool(name, command, self.folder, self.processes, self.timeout_s, environment)
