"""The interface of a stage of a measurement, and the hashes that identify its results.

A *specification* is a JSON-able dictionary of everything that the outcome of a stage depends on.
It includes facts that earlier stages found. :meth:`Stage.specify` is called once when the core is
elaborated, and once more when the facts of all earlier stages are known, which gives two hashes:

============  ==================================  =============================================
Hash          Facts of earlier stages             Identifies
============  ==================================  =============================================
*lineage*     facts of elaboration; for others,   stages of a graph and of rows, independent of
              lineage of the earlier stage        the machine
*key*         the facts                           outcomes in a store
============  ==================================  =============================================

Both are hashes of the code that runs the stage as well, see :attr:`Stage.code`.

A *recipe* is a hash of a lineage and of the version of the *reader*, which computes columns from
the files of the stage. Rows hold recipes: the columns of a row for a stage are used again if, and
only if, the recipe is the same today. A key does not depend on the reader, so that a better reader
corrects stored results without running a tool. Whoever changes what a reader returns raises its
version; reports with the columns that they must give show that somebody forgot.

Some entries of a specification depend on the place where the stage runs, such as the versions of
tools; :meth:`Stage.here` returns them. A place only runs a stage whose entries equal its own.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from montgomery.core import kind_of, name_of

from ..fingerprint import Source, fingerprint, own_fingerprint, sources
from ..outcome import Outcome
from ..tools.workspace import Tools, Workspace

if TYPE_CHECKING:
    from montgomery import CoreParameters

    from ..data.columns import Column
    from ..devices import Target
    from ..points.point import Point

__all__ = ["Job", "Lane", "Reader", "Result", "Scope", "Spec", "Stage", "Tools", "Workspace",
           "hash_of"]

Spec = dict[str, Any]
#: A function from the name of a file that a stage kept to its contents.
Reader = Callable[[str], bytes]
#: A function that returns columns of a row, called as ``read(facts, file, **depends)``.
Columns = Callable[..., dict[str, Any]]


def hash_of(document: Any) -> str:
    """Return a hash of a JSON-able document."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:40]


class Lane(enum.StrEnum):
    """The resource that a stage occupies while it is computed."""

    #: A worker process that runs code of this project.
    PYTHON = "python"
    #: A slot for a program that is not part of this project.
    TOOL = "tool"


class Scope(enum.IntEnum):
    """The part of a job on which the specification of a stage depends."""

    #: The core alone.
    CORE = 1
    #: The core, the device and the options.
    POINT = 2
    #: The core, the device, the options and the seed.
    SEED = 3


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """The input of stages: a core, a device, tool options, and a seed of the placer.

    There is no device if the core is only simulated, and a point in measurements alone. The time
    limit is that of each run of a tool, and of each verification. ``until`` is the last stage of
    the measurement.
    """

    params: CoreParameters
    device: Target | None = None
    options: Mapping[str, int | str] = dataclasses.field(default_factory=dict)
    seed: int = 1
    point: Point | None = None
    timeout_s: float | None = None
    until: str | None = None

    @property
    def has_model(self) -> bool:
        """Whether there is a model that the core can be compared with."""
        return bool(kind_of(self.params).formula)

    @property
    def core_label(self) -> str:
        """Short text that names the core."""
        if self.point:
            return self.point.core_label
        name, width = name_of(self.params), self.params.width
        return f"{name}/{width}" if width else name

    @property
    def label(self) -> str:
        """Short text that names the point, or the core if there is no point."""
        return self.point.label if self.point else self.core_label


@dataclasses.dataclass(frozen=True)
class Result:
    """The JSON-able facts that a stage found, and the names of the files that it keeps.

    Files are compressed, unless they are used in the store itself.
    """

    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    keep: Sequence[str] = ()
    compress: bool = True


class Stage(abc.ABC):
    """One stage of a measurement."""

    name = ""
    #: The stages that must have succeeded before, as far as they apply to the job, the stages that
    #: need this one without naming it, and those that this one needs in this way.
    needs: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    guarded_by: tuple[str, ...] = ()
    #: The facts of this stage that specifications of later stages hold.
    facts: tuple[str, ...] = ()
    #: The needed stage whose files lie in the workspace when this stage runs; empty for none.
    reads = ""
    #: A further stage whose files lie in the workspace, but do not change the result. It only runs
    #: if this stage has to run, and :meth:`uses_fetched` says that it needs the files.
    fetches = ""
    lane = Lane.TOOL
    #: The part of the job on which :meth:`specify` depends.
    scope = Scope.SEED
    #: Whether lineages of later stages hold the facts of this stage, rather than its lineage.
    transparent = False
    #: Columns of a row that the reader fills, which :mod:`explore.data.columns` declares.
    columns: tuple[Column, ...] = ()
    #: Returns the columns, and is called as ``reader(facts, file, **depends)``, where ``file``
    #: returns the contents of a file that the stage kept, and ``depends`` comes from
    #: :meth:`reads_by`. It depends on nothing else, and raises :exc:`StageFailed` if the files make
    #: no sense. The version is higher whenever the reader returns something else.
    reader: Columns | None = None
    reader_version = 1
    #: Whether rows hold the recipe of the stage, so that its columns may be read from them.
    in_rows = True

    @property
    def after(self) -> tuple[str, ...]:
        """Names of all stages that must have succeeded before."""
        return (*self.needs, *self.guarded_by)

    def applies(self, job: Job, tools: Tools) -> bool:
        """Return whether the stage is part of the measurement of a job."""
        return True

    def uses_fetched(self, spec: Spec) -> bool:
        """Return whether the stage :attr:`fetches` has to run before this one, or may have to."""
        return True

    def label(self, job: Job) -> str:
        """Return a short text that names the core or the point."""
        return job.core_label if self.scope == Scope.CORE else job.label

    @abc.abstractmethod
    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        """Return everything that the outcome depends on, with the facts of each needed stage.

        A fact is a text that must stand unchanged there, since it may be a placeholder of an
        unknown fact.
        """

    def covers(self, spec: Spec, outcome: Outcome) -> bool:
        """Return whether an outcome under the key of a specification is that of all of it."""
        return True

    def resumed(self, spec: Spec, outcome: Outcome) -> Spec:
        """Return the specification of what an outcome does not cover."""
        return spec

    def here(self, spec: Spec, tools: Tools) -> Spec:
        """Return the entries of a specification that depend on the place where the stage runs."""
        return {"sources": fingerprint(*spec["modules"])} if "modules" in spec else {}

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
        """Compute the outcome; :exc:`StageFailed` is one too.

        :exc:`ToolMissing` and :exc:`DiskFull` say that it cannot be computed here and now.
        """

    def reads_by(self, job: Job) -> dict[str, Any]:
        """Return the keyword arguments of the reader, which must be JSON-able."""
        return {}

    # The hashes

    @property
    def code(self) -> str:
        """Hash of the code that runs the stage: that of the module of the class, if no other."""
        return own_fingerprint(type(self).__module__)

    def sources(self, spec: Spec) -> Mapping[str, Source]:
        """Return the modules that a worker must have as they are here to run the stage."""
        return sources(*spec["modules"]) if "modules" in spec else {}

    def hashed(self, spec: Spec) -> str:
        """Return the hash of a specification of this stage."""
        return hash_of({"stage": self.name, "code": self.code, **spec})

    def recipe(self, job: Job, lineage: str) -> str:
        """Return the recipe of the columns that the reader returns."""
        return hash_of({"lineage": lineage, "reader": self.reader_version,
                        "reads by": self.reads_by(job)})
