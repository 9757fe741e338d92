"""The commands in README: finds them, runs them, and compares or replaces what they print.

``python tests/readme.py`` writes what they print today to README.md.
"""

import argparse
import contextlib
import dataclasses
import doctest
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from amaranth.hdl import Elaboratable

README = Path(__file__).parents[1] / "README.md"

#: Lines of README that begin so are set in: a block of code.
_INDENT = "    "
_SHELL, _PYTHON = "$ ", ">>> "
#: What differs from machine to machine, and what README has in its place.
_ELIDED = ((re.compile(r"at [\d,]+ clocks per second"), "at ... clocks per second"),)
#: A command that is not done after this time, in seconds, hangs.
_TIMEOUT_S = 400
#: The serial port of a board. Where a command has it, a simulated board stands in.
_PORT = "/dev/ttyUSB1"


@dataclasses.dataclass(frozen=True)
class Command:
    """One command of README.

    Attributes
    ----------
    section : str
        Heading above it.
    is_python : bool
        A statement of Python, and not a command of the shell.
    text : str
        What is run.
    expected : str
        What README says that it prints.
    start, end : int
        Lines of README between which that stands.
    """

    section: str
    is_python: bool
    text: str
    expected: str
    start: int
    end: int


def sections(lines):
    """Return the list of :class:`Command` of each section that has some, by its heading."""
    found, heading, index = {}, "", 0
    while index < len(lines):
        line = lines[index]
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if not line.startswith((_INDENT + _SHELL, _INDENT + _PYTHON)):
            index += 1
            continue
        is_python = line.startswith(_INDENT + _PYTHON)
        mark = _INDENT + (_PYTHON if is_python else _SHELL)
        start = end = index + 1
        while end < len(lines) and lines[end].startswith(_INDENT) and \
                not lines[end].startswith(mark):
            end += 1
        expected = "".join(f"{each[len(_INDENT):]}\n" for each in lines[start:end])
        found.setdefault(heading, []).append(Command(
            heading, is_python, line.removeprefix(mark), expected, start, end))
        index = end
    return found


class Shell:
    """Runs the commands of one section in a folder of their own.

    Parameters
    ----------
    folder : Path
        Empty.
    store : Path
        Store of the commands. README has that of a user without settings instead.
    """

    def __init__(self, folder, store):
        self._folder = folder
        (folder / "results").symlink_to(README.parent / "results")
        #: What README calls the files that the commands are given here.
        self._places = {"~/.cache/montgomery": str(store), "/tmp/board": str(folder / "board"),
                        _PORT: str(folder / "port")}
        self._environment = {
            **os.environ, "MONTGOMERY_STORE": str(store), "COLUMNS": "80",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            # It stands in for the programmer, which needs a board.
            "ICEPROG": shutil.which("true")}
        self._names = {}
        self._behind = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in self._behind:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        for value in self._names.values():
            if isinstance(value, Elaboratable):
                # Hardware that is made and not used is a mistake elsewhere.
                value._MustUse__silence = True

    def prepare(self, commands):
        """Make what the commands of a section need, and the sections before it have."""
        if not any(_PORT in command.text for command in commands):
            return
        before = sections(README.read_text().splitlines())["I need RSA"]
        for command in before:
            if command.text.startswith(("openssl genrsa", "echo", "montgomery board simulate")):
                self.run(command.text.replace("/tmp/board", _PORT))

    def __call__(self, command):
        """Return what a command prints on its standard output."""
        return self._python(command.text) if command.is_python else self.run(command.text)

    def _python(self, text):
        # As at the prompt of Python, which prints values that are not None.
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.chdir(self._folder):
            exec(compile(text, "README", "single"), self._names)
        return printed.getvalue()

    def run(self, text):
        """Return what a command of the shell prints; if it ends in ``&``, its first line."""
        for place, here in self._places.items():
            text = text.replace(place, here)
        behind = text.endswith("&")
        process = subprocess.Popen(
            ["bash", "-c", f"exec {text.rstrip('& ')}" if behind else text], cwd=self._folder,
            env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            if not behind else None, text=True)
        if behind:
            self._behind.append(process)
            return self._shown(process.stdout.readline())
        output, errors = process.communicate(timeout=_TIMEOUT_S)
        if process.returncode:
            raise AssertionError(f"'{text}' ended with {process.returncode}: {errors}")
        return self._shown(output)

    def _shown(self, output):
        for place, here in self._places.items():
            output = output.replace(here, place)
        return output


def is_as_expected(command, printed):
    """Return whether a command printed what README says; ``...`` stands for anything there."""
    return doctest.OutputChecker().check_output(_trimmed(command.expected), _trimmed(printed),
                                                doctest.ELLIPSIS)


def _trimmed(text):
    """Return a text without spaces at the ends of lines, and without empty lines."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines() if line.strip())


def update(lines, headings=()):
    """Return the lines of README with what the commands print today.

    Only those below ``headings`` are run, if there are any.
    """
    changes = []
    with tempfile.TemporaryDirectory(prefix="montgomery-readme-") as folder:
        for number, (heading, commands) in enumerate(sections(lines).items()):
            if headings and heading not in headings:
                continue
            own = Path(folder) / str(number)
            own.mkdir()
            with Shell(own, Path(folder) / "store") as shell:
                shell.prepare(commands)
                for command in commands:
                    print(command.text, file=sys.stderr)
                    printed = shell(command)
                    if not is_as_expected(command, printed):
                        changes.append((command, printed))
    for command, printed in reversed(changes):
        for pattern, text in _ELIDED:
            printed = pattern.sub(text, printed)
        lines[command.start:command.end] = [_INDENT + line.rstrip()
                                            for line in printed.splitlines() if line.strip()]
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("heading", nargs="*", help="Run the commands below these headings alone.")
    found = update(README.read_text().splitlines(), parser.parse_args().heading)
    README.write_text("\n".join(found) + "\n")
