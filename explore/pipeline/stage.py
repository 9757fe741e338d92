"""What a stage of a measurement is, and the three hashes by which its results are known.

A *specification* is a JSON-able dictionary that holds everything a stage depends on, but for the
facts that earlier stages found out, which it refers to. One function, :meth:`Stage.specify`, is
evaluated three times, each time with more known of the earlier stages:

============  ==================================  =============================================
Hash          Facts of earlier stages             Tells apart
============  ==================================  =============================================
*identity*    identity of the earlier stage       stages of a graph before anything has run
*lineage*     what elaboration found; otherwise   measurements, on whatever machine
              the lineage of the earlier stage
*key*         as they were found                  outcomes in a store
============  ==================================  =============================================

A *recipe* is a lineage together with the code that reads figures from the files of the stage. Rows
hold recipes: what a row says of a stage is used again if, and only if, the recipe is the same
today. A key does not cover that code, so that a better parser corrects what is stored without
running a tool.
"""

from __future__ import annotations

import abc
import dataclasses
import datetime
import enum
import hashlib
import json
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..fingerprint import own_fingerprint
from ..outcome import Outcome, StageFailed
from ..store.artefacts import pack

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..data.columns import Column
    from ..devices import Target
    from ..points.point import Point
    from ..tools.compiler import Compiler
    from ..tools.processes import Processes

__all__ = ["Job", "Lane", "Result", "Spec", "Stage", "Tools", "Workspace", "compute",
           "hash_of", "stamped"]

Spec = dict[str, Any]
#: Returns the contents of a file that a stage kept.
Reader = Callable[[str], bytes]


def hash_of(document: Any) -> str:
    """Return a hash of a JSON-able document."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:40]


class Lane(enum.StrEnum):
    """What a stage keeps busy while it is computed."""

    #: A worker process that runs code of this project.
    PYTHON = "python"
    #: A program outside of this project.
    TOOL = "tool"


class Tools(Protocol):
    """What is known of the programs that stages run."""

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


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """What stages compute: a core, for a device under tool options, with a seed of the placer.

    Attributes
    ----------
    device : Target or None
        None where a core is only simulated.
    point : Point or None
        The point that is measured; None where a stage is computed for another purpose.
    """

    params: CoreParameters
    device: Target | None = None
    options: Mapping[str, int | str] = dataclasses.field(default_factory=dict)
    seed: int = 1
    point: Point | None = None


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
        from ..tools.run import run_tool

        run_tool(name, command, self.folder, self.processes, self.timeout_s)


@dataclasses.dataclass(frozen=True)
class Result:
    """What a stage found out, and the names of the files in its workspace that it keeps."""

    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    keep: Sequence[str] = ()


class Stage(abc.ABC):
    """One stage of a measurement.

    Attributes
    ----------
    name : str
    needs : tuple of str
        Stages that must have succeeded before. Those that do not apply to a job are left out.
    facts : tuple of str
        Names of what this stage finds out that specifications of later stages hold.
    reads : str
        The one of ``needs`` whose files lie in the workspace when this stage runs; empty for none.
    fetches : str
        A stage whose files lie in the workspace too, but on which the result does not depend. It
        runs only if this stage has to run.
    lane : Lane
    transparent : bool
        Lineages of later stages hold what this stage found out, rather than its lineage.
    columns : tuple of Column
        Columns of a row that :meth:`read` fills.
    parsers : tuple of str
        Modules that :meth:`read` consists of, beside the module of this class.
    """

    name = ""
    needs: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    reads = ""
    fetches = ""
    lane = Lane.TOOL
    transparent = False
    columns: tuple[Column, ...] = ()
    parsers: tuple[str, ...] = ()

    def applies(self, job: Job, tools: Tools) -> bool:
        """Return whether the stage is part of the measurement of a job."""
        return True

    def label(self, job: Job) -> str:
        """Return a short text that names what is computed."""
        return job.point.label

    @abc.abstractmethod
    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        """Return everything that the outcome depends on.

        Parameters
        ----------
        given : dict from str to dict
            From each of :attr:`needs` to its facts. They are texts to be put into the
            specification as they are: they may stand for facts that are not known yet.
        """

    def program(self, job: Job) -> str:
        """Return the name of the program that the stage runs; empty for none."""
        return ""

    def arguments(self, spec: Spec) -> Any:
        """Return the arguments of :meth:`program`, as a row shows them; None for none."""
        return None

    @abc.abstractmethod
    def run(self, spec: Spec, workspace: Workspace) -> Result:
        """Compute the outcome.

        Raises
        ------
        StageFailed
            If the stage fails; its failure is an outcome too.
        ToolMissing, DiskFull
            If the outcome cannot be known here and now.
        """

    def read(self, job: Job, outcome: Outcome, file: Reader) -> dict[str, Any]:
        """Return the columns of a row from what the stage found out and kept.

        Raises
        ------
        StageFailed
            If the files make no sense.
        """
        return {}

    def reads_by(self, job: Job) -> Any:
        """Return what :meth:`read` depends on beside outcome and code, fit for JSON."""
        return None

    # The hashes

    def hashed(self, spec: Spec) -> str:
        """Return the hash of a specification of this stage."""
        return hash_of({"stage": self.name, **spec})

    def recipe(self, job: Job, lineage: str) -> str:
        """Return the recipe of what :meth:`read` returns.

        Parameters
        ----------
        lineage : str
            Hash of the specification that holds the lineages of earlier stages.
        """
        parsers = own_fingerprint(type(self).__module__, *self.parsers)
        return hash_of({"lineage": lineage, "parsers": parsers, "reads by": self.reads_by(job)})

    def standing_for(self, text: str) -> dict[str, str]:
        """Return texts that stand for the facts of this stage while they are not known."""
        return {fact: f"{fact} of {text}" for fact in self.facts}


def compute(stage: Stage, spec: Spec, workspace: Workspace,
            versions: Mapping[str, str]) -> Outcome:
    """Run a stage; a failure is an outcome as well.

    Only what is to be kept is left in the workspace, compressed.

    Parameters
    ----------
    versions : dict from str to str
        Of the programs that compute it.

    Raises
    ------
    ToolMissing, DiskFull
        As :meth:`Stage.run` does.
    """
    begin = time.monotonic()
    try:
        result = stage.run(spec, workspace)
        files = pack(workspace.folder, result.keep)
    except StageFailed as error:
        pack(workspace.folder, ())
        return stamped(Outcome(failure=error.failure, versions=versions), begin)
    return stamped(Outcome(facts=result.facts, files=files, versions=versions), begin)


def stamped(outcome: Outcome, begin: float) -> Outcome:
    """Return an outcome with where, when and since ``begin`` (of the monotonic clock) it ended."""
    return dataclasses.replace(
        outcome, seconds=round(time.monotonic() - begin, 3), host=socket.gethostname(),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
