"""Starts one tool in such a way that it cannot outlive the process that wants its result.

Run as a script: ``launch.py PARENT exec PATH ARGUMENTS…`` for a program, or ``launch.py PARENT wasm
MODULE:FUNCTION ARGUMENTS…`` for a YoWASP package. It imports nothing that it does not need: it is
on the way of every tool that is run.
"""

import os
import sys

__all__ = ["die_with_parent"]

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, on Linux.

    A killed sweep would otherwise leave tools that compute for nobody, against the sweep that is
    started next. Elsewhere they run to their end, and what they write is thrown away.
    """
    if sys.platform == "linux":
        import ctypes
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, _SIGKILL)
        if os.getppid() != parent:
            # It ended before the kernel was asked.
            os.kill(os.getpid(), _SIGKILL)


def _main(parent: str, how: str, what: str, *arguments: str) -> None:
    die_with_parent(int(parent))
    if how == "exec":
        os.execv(what, [what, *arguments])
    import importlib
    module, _, function = what.partition(":")
    sys.exit(getattr(importlib.import_module(module), function)(list(arguments)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
