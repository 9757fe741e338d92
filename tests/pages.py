"""Finds and runs the commands of README and of pages of docs, and compares or replaces outputs.

``python tests/pages.py`` replaces each output that has changed, or those below some headings alone.
"""

import argparse
import contextlib
import dataclasses
import doctest
import io
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from amaranth.hdl import Elaboratable
from click.testing import CliRunner

from explore.cli import cli

ROOT = Path(__file__).parents[1]
#: The pages whose commands are run as they stand, by their names.
PAGES = {path.stem: path for path in (ROOT / "README.md", *(
    ROOT / "docs" / f"{name}.md" for name in (
        "amaranth", "boards", "choose", "curves", "rsa", "sweep", "systems", "verification")))}

#: Indentation of a block of code.
_INDENT = "    "
_SHELL, _PYTHON = "$ ", ">>> "
#: Patterns of texts that differ from machine to machine, and their replacements.
_ELIDED = ((re.compile(r"at [\d,]+ clocks per second"), "at ... clocks per second"),)
#: Time limit of a command, in seconds.
_TIMEOUT_S = 400
#: Serial port of a board, which is replaced by the port of a simulated board.
_PORT = "/dev/ttyUSB1"
#: With one of these a command is for the shell.
_OPERATORS = "&|;<>$*?"


@dataclasses.dataclass(frozen=True)
class Command:
    """One command of a page.

    Attributes
    ----------
    section : str
        Heading of the section.
    is_python : bool
        Whether the command is a statement of Python, rather than a command of the shell.
    text : str
        The command without its prompt.
    expected : str
        Output on the page.
    start, end : int
        Indices of the first line of the output, and of the line after it.
    """

    section: str
    is_python: bool
    text: str
    expected: str
    start: int
    end: int


def sections(lines):
    """Return a dictionary from the heading of each section to its list of :class:`Command`.

    Sections without commands are left out.
    """
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
        An empty folder.
    store : Path
        Store of the commands. It stands for the default store that pages name.
    boards : Path or None
        Store of compiled boards, which leave no rows, if it is another one.
    """

    def __init__(self, folder, store, boards=None):
        self._folder = folder
        (folder / "results").symlink_to(ROOT / "results")
        #: From paths on pages to the paths that commands get in their place.
        self._places = {"~/.cache/montgomery": str(store), _PORT: str(folder / "port"),
                        **{f"/tmp/{link}": str(folder / link) for link in ("board", "verifier")}}
        self._environment = {
            **os.environ, "MONTGOMERY_STORE": str(store), "COLUMNS": "80",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            # This replaces the program that needs a board.
            "ICEPROG": shutil.which("true")}
        self._of_boards = self._environment | {"MONTGOMERY_STORE": str(boards or store)}
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
                # Amaranth warns of hardware that is not used, which is intended here.
                value._MustUse__silence = True

    def prepare(self, commands):
        """Run the commands for a board with a key, on which the commands for real boards depend."""
        if not any(_PORT in command.text for command in commands):
            return
        before = sections(PAGES["rsa"].read_text().splitlines())
        for command in itertools.chain.from_iterable(before.values()):
            if command.text.startswith(("openssl genrsa", "echo", "montgomery board simulate")):
                self.run(command.text.replace("/tmp/board", _PORT))

    def __call__(self, command):
        """Return the standard output of a command."""
        return self._python(command.text) if command.is_python else self.run(command.text)

    def _python(self, text):
        # The mode "single" prints values other than None, as the prompt of Python does.
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.chdir(self._folder):
            exec(compile(self._placed(text), "page", "single"), self._names)
        return self._shown(printed.getvalue())

    def run(self, text):
        """Return the standard output of a command of the shell.

        If the command ends in ``&``, it keeps running, and only its first line is returned.
        """
        text = self._placed(text)
        if text.startswith("montgomery ") and not set(text) & set(_OPERATORS):
            return self._shown(self._montgomery(text))
        behind = text.endswith("&")
        process = subprocess.Popen(
            ["bash", "-c", f"exec {text.rstrip('& ')}" if behind else text], cwd=self._folder,
            env=self._of_boards if " board simulate " in text else self._environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE
            if not behind else None, text=True)
        if behind:
            self._behind.append(process)
            return self._shown(process.stdout.readline())
        output, errors = process.communicate(timeout=_TIMEOUT_S)
        if process.returncode:
            raise AssertionError(f"'{text}' ended with {process.returncode}: {errors}")
        return self._shown(output)

    def _montgomery(self, text):
        """Return the standard output of one of the project's commands.

        It runs in this process, since to start another takes longer than most commands.
        """
        with contextlib.chdir(self._folder):
            done = CliRunner().invoke(cli, shlex.split(text)[1:], env=self._environment)
        if done.exit_code:
            raise AssertionError(f"'{text}' ended with {done.exit_code}: {done.stderr}")
        return done.stdout

    def _placed(self, text):
        for place, here in self._places.items():
            text = text.replace(place, here)
        return text

    def _shown(self, output):
        for place, here in self._places.items():
            output = output.replace(here, place)
        return output


def is_as_expected(command, printed):
    """Return whether ``printed`` is the output of a page, in which ``...`` stands for any text."""
    return doctest.OutputChecker().check_output(_trimmed(command.expected), _trimmed(printed),
                                                doctest.ELLIPSIS)


def _trimmed(text):
    """Return a text without spaces at the ends of lines, and without empty lines."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines() if line.strip())


def update(lines, headings=()):
    """Return the lines of a page with the present output of the commands.

    If there are ``headings``, only commands in these sections run.
    """
    changes = []
    with tempfile.TemporaryDirectory(prefix="montgomery-pages-") as folder:
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
    headings = parser.parse_args().heading
    for page in PAGES.values():
        found = update(page.read_text().splitlines(), headings)
        page.write_text("\n".join(found) + "\n")
