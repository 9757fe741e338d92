"""Whatever is typed wrong: one line with a remedy, exit status 2, and no file is touched.

``messages.txt`` holds a command of each rule, and below it what that says. To add one, write the
command; ``pytest --renew tests/explore/test_messages.py`` writes what all of them say today.
"""

import os
import re
import shlex
from pathlib import Path

import pytest
from console import assert_refused
from measurements import rows

from explore.data.frame import save
from explore.store import Store

MESSAGES = Path(__file__).parent / "messages.txt"
#: What is too long to be written there.
LONG = {"LONG": "x" * 300, "DIGITS": "9" * 5000}
SWEEPS = {
    "cut": "archs = [",
    "key": "arhcs = ['toy']",
    "list": "archs = 3",
    "table": "params = 3",
    "seeds": "seeds = 'x'",
    "preset": "preset = 'fast'",
    # These are to be shown, and not done, by a terminal.
    "title": '"\\u001b]0;title\\u0007" = 1',
    "bidirectional": 'preset = "\\u202e\\b"',
    "part": '[[parts]]\n"\\u001b[2J" = 1',
}


@pytest.fixture
def registered(registered):
    """Return toys that have names of real cores, too."""
    cores = registered["multiplier"]
    return {"multiplier": cores | dict.fromkeys(("mmm_cs_1d", "mmm_mx_1d"), cores["toy"]),
            **{kind: {name: cores["toy"]} for kind, name in (
                ("exponentiator", "generic"), ("hash", "sha1"), ("rsa_crt", "toy"))}}


@pytest.fixture
def prepared(run, tmp_path):
    """Return the working directory, with what commands are given."""
    save(rows(), tmp_path / "rows.jsonl")
    with Store(tmp_path / "store") as store:
        store.remember_rows({"one": rows()[0]})
    for name, text in SWEEPS.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    (tmp_path / "letter").write_text("Dear Sir,\n")
    (tmp_path / "bytes").write_bytes(bytes(range(256)))
    (tmp_path / "empty").touch()
    (tmp_path / "taken.py").touch()
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def contents(folder):
    """Return the bytes of each file."""
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")}


def test_one_line_that_helps(run, prepared, request):
    before = contents(prepared)
    expected = MESSAGES.read_text(encoding="utf-8").splitlines()
    found = []
    for command in (line for line in expected if line.startswith("$ ")):
        words = shlex.split(command)[2:]
        result = run(*(LONG.get(word, word) for word in words))
        assert_refused(result, "montgomery: ")
        assert result.stderr.rstrip("\n").isprintable(), command
        assert contents(prepared) == before, command
        # What is registered is no part of the wording.
        message = re.sub("known are [^;\n]+", "known are …", result.stderr)
        found += [command, message.removeprefix("montgomery: ").rstrip("\n")]
    if request.config.getoption("--renew"):
        MESSAGES.write_text("\n".join(found) + "\n", encoding="utf-8")
    else:
        assert found == expected
