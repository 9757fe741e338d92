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

from montgomery import KINDS

#: Supported besides the one that runs this.
VERSIONS = [version for version in ("3.11", "3.12", "3.13")
            if version != "{}.{}".format(*sys.version_info)]
#: Commands or paths of further interpreters to try, separated as in PATH.
VARIABLE = "MONTGOMERY_PYTHONS"
_ASK = "import amaranth, sys; print('{}.{}'.format(*sys.version_info))"
_SHOWN = 20

#: To say which there are takes long as well.
_elaborations = functools.cache(rtlil_hashes.elaborations)


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
    ours = _elaborations()[key]()
    theirs = _run(python, rtlil_hashes.__file__, key).stdout
    lines = difflib.unified_diff(ours.splitlines(), theirs.splitlines(), sys.executable, python,
                                 lineterm="", n=2)
    return "\n".join(itertools.islice(lines, _SHOWN))


def _expected():
    return json.loads(rtlil_hashes.EXPECTED.read_text())


def _cores():
    found = [kind.full_name(name) for kind in KINDS.values() for name in kind.cores()]
    return ["board with ", *(f"{name}(" for name in found)]


@pytest.mark.parametrize("core", _cores())
def test_hardware_is_what_was_measured(core, request):
    """Of what is made of multipliers, other choices than the first are thorough."""
    keys = [key for key in _elaborations() if key.startswith(core)]
    if core.rpartition(".")[0] and not request.config.getoption("--thorough"):
        keys = keys[:2]
    expected = _expected()
    other = [key for key in keys
             if rtlil_hashes.digest(_elaborations()[key]()) != expected.get(key)]
    assert keys
    assert not other, "\n".join([
        f"{len(other)} of {len(keys)} elaborations have other RTLIL than was committed; there, "
        "committed measurements do not stand:", *other[:_SHOWN],
        f"If that is meant: python {Path(rtlil_hashes.__file__).relative_to(rtlil_hashes.ROOT)} "
        "--write"])


def test_each_elaboration_is_of_a_core_and_has_a_hash():
    assert _elaborations().keys() == _expected().keys()
    assert all(key.startswith(tuple(_cores())) for key in _elaborations())


@pytest.mark.thorough
@pytest.mark.parametrize("version", VERSIONS)
def test_hardware_is_the_same_on_other_pythons(version):
    python = _pythons().get(version)
    if python is None:
        pytest.skip(f"no Python {version} with Amaranth on PATH or in {VARIABLE}")
    ended = _run(python, rtlil_hashes.__file__)
    assert ended.returncode == 0, ended.stderr
    theirs, ours = json.loads(ended.stdout), _expected()
    assert theirs.keys() == ours.keys()
    other = [key for key in ours if ours[key] != theirs[key]]
    assert not other, "\n".join([f"{len(other)} of {len(ours)} elaborations differ:",
                                 *other[:_SHOWN], _first_difference(python, other[0])])
