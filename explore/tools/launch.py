"""Runs one tool so that none of its processes outlives the process that waits for its result.

Run as a script: ``launch.py PARENT PATH exec PROGRAM ARGUMENTS…`` for a program, or ``launch.py
PARENT PATH wasm MODULE:FUNCTION ARGUMENTS…`` for a YoWASP package, whose modules are found in the
folders of ``PATH``. It imports nothing that it does not need: it is on the way of every tool that
is run.

It writes down what it ran in the file that the variable :data:`RAN` names, if it is set. A package
gets no other variables of the environment than :data:`_VARIABLES`.

On Linux this process stays, as the supervisor of the tool, and ends as the tool ends. When the tool
ends, when the process ``PARENT`` ends in whatever way, or on SIGTERM, the supervisor kills all that
the tool has started: the kernel makes it the parent of processes whose own parent is gone, also of
those that left their session. Elsewhere the tool takes the place of this process, and runs to its
end.
"""

import os
import sys

__all__ = ["RAN", "descendants"]

#: Variable with the name of a file for what is run: JSON with ``what`` and ``arguments``.
RAN = "MONTGOMERY_RAN"
#: Variables that say where files are, and change no result.
_VARIABLES = ("HOME", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "XDG_CACHE_HOME",
              "YOWASP_CACHE_DIR")

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
#: How long to look for processes that do not die, as those that wait for a disk do.
_KILL_S = 2


def descendants(ancestor: int) -> list[int]:
    """Return all processes that come from another one, on Linux; elsewhere none."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The second of the fields is a name in parentheses, with any character.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    pending = [ancestor]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found


def _supervise(parent: int) -> None:
    """Return in a new process, and stay behind as its supervisor."""
    import ctypes
    import resource
    import signal

    prctl = ctypes.CDLL(None).prctl
    # A handled signal is one that is waited for, so it is blocked.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    handled = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    prctl(_PR_SET_PDEATHSIG, int(signal.SIGUSR1))
    if os.getppid() != parent:
        # It ended before the kernel was asked.
        os.kill(os.getpid(), signal.SIGKILL)
    supervisor = os.getpid()
    tool = os.fork()
    if tool == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        # For when the supervisor itself is killed.
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
        if os.getppid() != supervisor:
            os.kill(os.getpid(), signal.SIGKILL)
        return

    status = None
    while status is None:
        received = signal.sigwait(handled)
        if received == signal.SIGCHLD:
            status = _reap(tool)
        elif received != signal.SIGUSR1:
            status = received
        elif os.getppid() != parent:
            status = signal.SIGKILL
        # Else it was a thread of the parent that ended, which the kernel tells likewise.
    _kill_all()
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    # It was the tool that was to leave a core file, or not.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    number = os.WTERMSIG(status)
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(supervisor, number)
    os._exit(128 + number)


def _reap(tool: int) -> int | None:
    """Take note of the processes that ended; return the tool's status if it is among them."""
    status = None
    try:
        while True:
            ended, how = os.waitpid(-1, os.WNOHANG)
            if ended == 0:
                break
            if ended == tool:
                status = how
    except ChildProcessError:
        pass
    return status


def _kill_all() -> None:
    """Kill all descendants of this process, those that are born meanwhile among them."""
    import time

    begin = time.monotonic()
    while time.monotonic() - begin < _KILL_S:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            # A descendant would have an ancestor that is a child.
            return
        for descendant in descendants(os.getpid()):
            try:
                os.kill(descendant, 9)
            except OSError:
                continue
        time.sleep(0.002)


def _main(parent: str, path: str, how: str, what: str, *arguments: str) -> None:
    if sys.platform == "linux":
        _supervise(int(parent))
    if RAN in os.environ:
        _write_down(what, arguments, os.environ.pop(RAN))
    if how == "exec":
        os.execv(what, [what, *arguments])
    import importlib

    for name in set(os.environ).difference(_VARIABLES):
        del os.environ[name]
    sys.path[:0] = path.split(os.pathsep)
    module, _, function = what.partition(":")
    sys.exit(getattr(importlib.import_module(module), function)(list(arguments)))


def _write_down(what: str, arguments: tuple[str, ...], name: str) -> None:
    import json

    with open(name, "w") as file:
        json.dump({"what": what, "arguments": arguments}, file)


if __name__ == "__main__":
    _main(*sys.argv[1:])
