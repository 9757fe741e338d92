"""Cores are the same hardware as ever, on every Python: measurements are kept as long as they are.

See :mod:`rtlil_hashes` for what is compared, and how to accept another hardware.
"""

import difflib
import functools
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import rtlil_hashes

#: Supported besides the one that runs this.
VERSIONS = [version for version in ("3.11", "3.12", "3.13")
            if version != "{}.{}".format(*sys.version_info)]
#: Commands or paths of further interpreters to try, separated as in PATH.
VARIABLE = "MONTGOMERY_PYTHONS"
_ASK = "import amaranth, sys; print('{}.{}'.format(*sys.version_info))"
_SHOWN = 20

#: For both tests once is enough.
_hashes = functools.cache(rtlil_hashes.hashes)


def _run(python, *arguments):
    return subprocess.run([python, *arguments], capture_output=True, text=True, timeout=600)


@functools.cache
def _pythons():
    """Return the interpreters that have Amaranth by version."""
    named = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    found = {}
    for python in filter(None, map(shutil.which, (*named, *(f"python{v}" for v in VERSIONS)))):
        answer = _run(python, "-c", _ASK)
        if answer.returncode == 0:
            found.setdefault(answer.stdout.strip(), python)
    return found


def _first_difference(python, key):
    ours = rtlil_hashes.elaborations()[key]()
    theirs = _run(python, rtlil_hashes.__file__, key).stdout
    lines = difflib.unified_diff(ours.splitlines(), theirs.splitlines(), sys.executable, python,
                                 lineterm="", n=2)
    return "\n".join(itertools.islice(lines, _SHOWN))


def test_hardware_is_what_was_measured():
    expected = json.loads(rtlil_hashes.EXPECTED.read_text())
    found = _hashes()
    problems = [f"{key}: other RTLIL than was committed" if key in expected else
                f"{key}: has no hash in the file" for key in found
                if found[key] != expected.get(key)]
    problems += [f"{key}: is in the file, and no longer made" for key in expected.keys() - found]
    assert not problems, "\n".join([
        f"{len(problems)} of {len(found)} elaborations; where RTLIL is other, committed "
        "measurements do not stand:", *problems[:_SHOWN],
        f"If that is meant: python {Path(rtlil_hashes.__file__).relative_to(rtlil_hashes.ROOT)} "
        "--write"])


@pytest.mark.thorough
@pytest.mark.parametrize("version", VERSIONS)
def test_hardware_is_the_same_on_other_pythons(version):
    python = _pythons().get(version)
    if python is None:
        pytest.skip(f"no Python {version} with Amaranth on PATH or in {VARIABLE}")
    ended = _run(python, rtlil_hashes.__file__)
    assert ended.returncode == 0, ended.stderr
    theirs, ours = json.loads(ended.stdout), _hashes()
    assert theirs.keys() == ours.keys()
    other = [key for key in ours if ours[key] != theirs[key]]
    assert not other, "\n".join([f"{len(other)} of {len(ours)} elaborations differ:",
                                 *other[:_SHOWN], _first_difference(python, other[0])])
