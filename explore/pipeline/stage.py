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

A *recipe* is a lineage together with the code that reads figures from the files of the stage, its
*reader*. Rows hold recipes: what a row says of a stage is used again if, and only if, the recipe is
the same today. A key does not cover that code, so that a better reader corrects what is stored
without running a tool.

Some of a specification depends on the place where the stage runs, such as the versions of tools:
:meth:`Stage.here`. A place runs a stage only if that is its own.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..fingerprint import own_fingerprint
from ..outcome import Outcome
from ..tools.workspace import Tools, Workspace

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..data.columns import Column
    from ..devices.targets import Target
    from ..points.point import Point

__all__ = ["Job", "Lane", "Reader", "Result", "Scope", "Spec", "Stage", "Tools", "Workspace",
           "hash_of"]

Spec = dict[str, Any]
#: Returns the contents of a file that a stage kept.
Reader = Callable[[str], bytes]
#: Returns columns of a row, called as ``read(facts, file, **depends)``.
Columns = Callable[..., dict[str, Any]]


def hash_of(document: Any) -> str:
    """Return a hash of a JSON-able document."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:40]


class Lane(enum.StrEnum):
    """What a stage keeps busy while it is computed."""

    #: A worker process that runs code of this project.
    PYTHON = "python"
    #: A program outside of this project.
    TOOL = "tool"


class Scope(enum.IntEnum):
    """What of a job the specification of a stage depends on."""

    #: The core alone.
    CORE = 1
    #: The core, the device and the options.
    POINT = 2
    #: All of these, and the seed.
    SEED = 3


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """What stages compute: a core, for a device under tool options, with a seed of the placer.

    Attributes
    ----------
    device : Target or None
        None where a core is only simulated.
    point : Point or None
        The point that is measured; None where a stage is computed for another purpose.
    timeout_s : float or None
        Time limit of each run of a tool, and of each verification.
    """

    params: CoreParameters
    device: Target | None = None
    options: Mapping[str, int | str] = dataclasses.field(default_factory=dict)
    seed: int = 1
    point: Point | None = None
    timeout_s: float | None = None

    def within(self, scope: Scope) -> Job:
        """Return the job without what a stage of this scope does not depend on."""
        if scope == Scope.SEED:
            return dataclasses.replace(self, point=None, timeout_s=None)
        if scope == Scope.POINT:
            return Job(params=self.params, device=self.device, options=self.options)
        return Job(params=self.params)

    @property
    def core_label(self) -> str:
        """Short text that names the core."""
        return self.point.core_label if self.point else f"{self.params.name()}/{self.params.width}"

    @property
    def label(self) -> str:
        """Short text that names what is measured."""
        return self.point.label if self.point else self.core_label


@dataclasses.dataclass(frozen=True)
class Result:
    """What a stage found out, and the names of the files in its workspace that it keeps.

    Attributes
    ----------
    compress : bool
        False for files that are used where they lie.
    """

    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    keep: Sequence[str] = ()
    compress: bool = True


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
    scope : Scope
        :meth:`specify` gets a job without the rest.
    transparent : bool
        Lineages of later stages hold what this stage found out, rather than its lineage.
    columns : tuple of Column
        Columns of a row that :meth:`read` fills.
    reader : callable or None
        Returns the columns, called as ``reader(facts, file, **depends)``: with what the stage found
        out, a function that returns the contents of a file that it kept, and :meth:`reads_by`. It
        depends on nothing else; raises :exc:`StageFailed` if the files make no sense. Its module is
        what a recipe holds of it.
    parsers : tuple of str
        Further modules that the reader consists of.
    """

    name = ""
    needs: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    reads = ""
    fetches = ""
    lane = Lane.TOOL
    scope = Scope.SEED
    transparent = False
    columns: tuple[Column, ...] = ()
    reader: Columns | None = None
    parsers: tuple[str, ...] = ()

    def applies(self, job: Job, tools: Tools) -> bool:
        """Return whether the stage is part of the measurement of a job."""
        return True

    def label(self, job: Job) -> str:
        """Return a short text that names what is computed."""
        return job.label

    @abc.abstractmethod
    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        """Return everything that the outcome depends on.

        Parameters
        ----------
        given : dict from str to dict
            From each of :attr:`needs` to its facts. They are texts to be put into the
            specification as they are: they may stand for facts that are not known yet.
        """

    def here(self, spec: Spec, tools: Tools) -> Spec:
        """Return those entries of a specification that depend on where the stage runs."""
        return {}

    def program(self, job: Job) -> str:
        """Return the name of the program whose arguments a row shows; empty for none."""
        return ""

    def programs(self, job: Job) -> tuple[str, ...]:
        """Return the names of all programs that the stage runs."""
        program = self.program(job)
        return (program,) if program else ()

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
        if self.reader is None:
            return {}
        return type(self).reader(outcome.facts, file, **self.reads_by(job))

    def reads_by(self, job: Job) -> dict[str, Any]:
        """Return what the reader depends on beside outcome and code, fit for JSON."""
        return {}

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
        modules = self.parsers if self.reader is None else (self.reader.__module__, *self.parsers)
        return hash_of({"lineage": lineage, "reader": own_fingerprint(*modules),
                        "reads by": self.reads_by(job)})

    def standing_for(self, text: str) -> dict[str, str]:
        """Return texts that stand for the facts of this stage while they are not known."""
        return {fact: f"{fact} of {text}" for fact in self.facts}
