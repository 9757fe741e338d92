"""Errors that end a command, whatever it was about to do."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

__all__ = ["ClusterLost", "DiskFull", "Refusal", "ToolMissing", "WrongSite", "came_from",
           "going_on", "is_refusal", "origin", "used_up"]

#: Packages whose errors are written for users.
_PACKAGES = {"explore", "boards", "montgomery"}


class Refusal(ValueError):
    """What the user asked for is not possible; the message is one line that says why."""


class ToolMissing(RuntimeError):
    """A tool that is needed and cannot be run."""


class ClusterLost(RuntimeError):
    """The scheduler or the workers of a cluster are gone; what came back is stored."""


class DiskFull(RuntimeError):
    """No room to go on with on the disk; what is stored so far is whole."""


class WrongSite(RuntimeError):
    """A stage was to run where the tools or sources are others than those it was specified for."""


def is_refusal(error: BaseException) -> bool:
    """Return whether the message of an error is written for the user, who can mend its cause.

    It is if this project defines the class of the error, such as :exc:`Refusal`. The packages of
    hardware, which do not depend on this one, refuse by ``ValueError`` and ``TypeError``. All other
    errors are faults of the program.
    """
    return _package(type(error).__module__) in _PACKAGES or (
        isinstance(error, ValueError | TypeError)
        and any(came_from(error, package) for package in ("boards", "montgomery")))


def came_from(error: BaseException, package: str) -> bool:
    """Return whether code of a package raised an error."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step is not None and _package(step.tb_frame.f_globals.get("__name__", "")) == package


def origin(error: BaseException) -> str:
    """Return file and line of the innermost code of this project that an error comes from."""
    found, step = "", error.__traceback__
    while step is not None:
        frame = step.tb_frame
        if not found or _package(frame.f_globals.get("__name__", "")) in _PACKAGES:
            found = f"{frame.f_code.co_filename}, line {step.tb_lineno}"
        step = step.tb_next
    return found or "an unknown place"


def _package(module: str) -> str:
    return module.partition(".")[0]


def used_up(number: int | None, what: str) -> str | None:
    """Return a message if an error means that the disk is full.

    Parameters
    ----------
    what : str
        What cannot be done.
    """
    return (f"Disk is full: {what}; free some room or write elsewhere, then the same command goes "
            "on") if number in (errno.ENOSPC, errno.EDQUOT) else None


@contextlib.contextmanager
def going_on(what: str) -> Iterator[None]:
    """Turn every error for which :func:`used_up` has a message into :exc:`DiskFull`."""
    try:
        yield
    except OSError as error:
        if message := used_up(error.errno, what):
            raise DiskFull(message) from error
        raise
