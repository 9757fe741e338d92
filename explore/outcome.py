"""The outcome of a stage of a measurement: its status, its facts and its files."""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["Failure", "Outcome", "Retry", "StageFailed", "Status"]


class Status(enum.StrEnum):
    """The status in which the measurement of a point ended."""

    #: Verified, synthesised, placed and routed.
    OK = "ok"
    #: Verified and synthesised for a device that no open tool places.
    AREA_ONLY = "area_only"
    #: The device has no room for the design, or lacks a block that it needs.
    NO_FIT = "no_fit"
    #: A stage exceeded its time limit.
    TIMEOUT = "timeout"
    #: A stage ran out of memory.
    OOM = "oom"
    #: A tool overflowed the stack of its WebAssembly build, as it would again.
    OVERFLOW = "overflow"
    #: A tool or the elaboration failed in another way.
    TOOL_ERROR = "tool_error"
    #: The design was placed, but nextpnr reported no clock.
    NO_FMAX = "no_fmax"
    #: The core differs from its integer model, or could not be compared with it.
    UNVERIFIED = "unverified"
    #: Measured up to the stage that was asked for, which is not the last one.
    PARTIAL = "partial"

    @property
    def is_measured(self) -> bool:
        """Whether everything was measured that can be measured on the device."""
        return self in (Status.OK, Status.AREA_ONLY)

    @property
    def is_success(self) -> bool:
        """Whether everything was measured that was asked for."""
        return self.is_measured or self == Status.PARTIAL

    @property
    def is_final(self) -> bool:
        """Whether the same tools would give it again, whatever the machine and the time limit."""
        return self.is_success or self in (Status.NO_FIT, Status.NO_FMAX, Status.OVERFLOW)

    @property
    def is_result(self) -> bool:
        """Whether it says something of the point, rather than of a program that failed."""
        return self.is_final or self == Status.TIMEOUT


class Retry(enum.StrEnum):
    """Whether a failed stage is worth another attempt."""

    #: It would fail in the same way.
    NEVER = "never"
    #: With a longer time limit.
    LONGER = "longer"
    #: The next time that its result is needed.
    ALWAYS = "always"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Failure:
    """The reason for which a stage failed: a line, and the last ones of the output of the tool, or
    of the traceback.

    The limit is the time limit that applied; None if none did.
    """

    status: Status
    message: str
    retry: Retry
    log: str = ""
    limit_s: float | None = None

    def stands(self, timeout_s: float | None) -> bool:
        """Return whether a new attempt with this time limit would end in the same way."""
        if self.retry == Retry.LONGER:
            return self.limit_s is None or (timeout_s is not None and timeout_s <= self.limit_s)
        return self.retry == Retry.NEVER


class StageFailed(RuntimeError):
    """A stage failed, with facts of its outcome; the text is one line.

    A string in place of a failure is the message of a ``tool_error`` that is worth another attempt.
    """

    def __init__(self, failure: Failure | str,
                 facts: Mapping[str, Any] = types.MappingProxyType({})) -> None:
        if isinstance(failure, str):
            message = " ".join(failure.split())[:300]
            failure = Failure(status=Status.TOOL_ERROR, message=message, log=message,
                              retry=Retry.ALWAYS)
        super().__init__(failure.message)
        self.failure, self.facts = failure, facts


@dataclasses.dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a stage, with the place and time at which it was computed.

    Facts are JSON-able. Each file that is kept has the SHA-256 of its contents as they are stored.
    Versions are those of the programs that computed it.
    """

    failure: Failure | None = None
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    seconds: float = 0.0
    host: str = ""
    date: str = ""

    @property
    def status(self) -> Status:
        return self.failure.status if self.failure else Status.OK

    def stands(self, timeout_s: float | None) -> bool:
        """Return whether it may be used again, rather than computed again with this time limit."""
        return self.failure is None or self.failure.stands(timeout_s)

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary of JSON's types, for :meth:`from_json`."""
        return msgspec.to_builtins(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Outcome:
        """Return the outcome that :meth:`to_json` described; ValueError says that it is none."""
        return msgspec.convert(document, cls)
