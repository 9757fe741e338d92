"""Cores are the same hardware as ever: measurements are kept as long as they are.

See :mod:`rtlil_hashes` for what is compared, on any Python, and how to accept another hardware.
"""

import functools
import json
from pathlib import Path

import pytest
import rtlil_hashes

from montgomery import KINDS

CORES = ["board with ", *(f"{kind.full_name(name)}(" for kind in KINDS.values()
                          for name in kind.cores())]
#: To say which there are takes long as well.
_elaborations = functools.cache(rtlil_hashes.elaborations)


def _expected():
    return json.loads(rtlil_hashes.EXPECTED.read_text())


@pytest.mark.parametrize("core", CORES)
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
        "committed measurements do not stand:", *other[:20],
        f"If that is meant: python {Path(rtlil_hashes.__file__).relative_to(rtlil_hashes.ROOT)} "
        "--write"])


def test_each_elaboration_is_of_a_core_and_has_a_hash():
    assert _elaborations().keys() == _expected().keys()
    assert all(key.startswith(tuple(CORES)) for key in _elaborations())
