"""Lists of faults follow the sources; ``benchmarks/hand_faults.py`` puts the faults in."""

import collections
import tomllib
from pathlib import Path

import pytest

from montgomery import KINDS

ROOT = Path(__file__).parents[1]
LISTS = sorted((ROOT / "benchmarks" / "hand_faults").glob("*.toml"))


def _faults(path):
    return tomllib.loads(path.read_text())["faults"]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_what_a_fault_replaces_is_there_once(path):
    for fault in _faults(path):
        text = (ROOT / fault["file"]).read_text()
        assert text.count(fault["old"]) == 1, (fault["name"], fault["file"], fault["old"])
        assert fault["old"] != fault["new"]


def test_every_core_has_faults():
    count = collections.Counter(core for path in LISTS for fault in _faults(path)
                                for core in fault["cores"])
    names = {kind.full_name(name) for kind in KINDS.values() for name in kind.cores()}
    assert set(count) == names
    assert {name: count[name] for name in names if count[name] < 8} == {}
