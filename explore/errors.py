"""Errors that end a command, whatever it was about to do."""

from __future__ import annotations

import dis
import sys
from types import TracebackType

__all__ = ["ClusterLost", "DiskFull", "ToolMissing", "WrongSite", "is_refusal", "origin"]

#: Packages whose errors are written for users.
_PACKAGES = {"explore", "boards", "montgomery"}
_RAISE = dis.opmap["RAISE_VARARGS"]


class ToolMissing(RuntimeError):
    """A tool that is needed and cannot be run."""


class ClusterLost(RuntimeError):
    """The scheduler or the workers of a cluster are gone; what came back is stored."""


class DiskFull(RuntimeError):
    """No room to go on with; what is stored so far is whole."""


class WrongSite(RuntimeError):
    """A stage was to run where the tools or sources are others than those it was specified for."""


def is_refusal(error: BaseException) -> bool:
    """Return whether the message of an error is written for the user, who can mend its cause.

    It is if this project defines the class of the error, or raises it by a ``raise`` as a
    ``ValueError`` or ``TypeError``. The same errors out of a library, or out of an operation of
    Python such as ``int("x")``, are faults of the program.
    """
    if _package(type(error).__module__) in _PACKAGES:
        return True
    if not isinstance(error, ValueError | TypeError):
        return False
    step = _last(error)
    if step is None:
        return False
    return (step.tb_frame.f_code.co_code[step.tb_lasti] == _RAISE
            and _package(step.tb_frame.f_globals.get("__name__", "")) in _authors())


def origin(error: BaseException) -> str:
    """Return file and line of the innermost code of this project that an error comes from."""
    found, step = "", error.__traceback__
    while step is not None:
        frame = step.tb_frame
        if not found or _package(frame.f_globals.get("__name__", "")) in _authors():
            found = f"{frame.f_code.co_filename}, line {step.tb_lineno}"
        step = step.tb_next
    return found or "an unknown place"


def _last(error: BaseException) -> TracebackType | None:
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step


def _package(module: str) -> str:
    return module.partition(".")[0]


def _authors() -> set[str]:
    """Return the packages of this project and of all cores, which may have authors elsewhere."""
    if "montgomery" not in sys.modules:
        return _PACKAGES
    from montgomery import KINDS

    return _PACKAGES | {_package(core.__module__) for kind in KINDS.values()
                        for core in kind.cores().values()}
