"""Lists of ``benchmarks/`` follow the sources: of faults, and of the checks of a release."""

import collections
import re
import tomllib
from pathlib import Path

import pytest

from montgomery import KINDS

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
LISTS = sorted((BENCHMARKS / "hand_faults").glob("*.toml"))
NAMES = {kind.full_name(name) for kind in KINDS.values() for name in kind.cores()}


def _faults(path):
    return tomllib.loads(path.read_text())["faults"]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_what_a_fault_replaces_is_there_once(path):
    for fault in _faults(path):
        text = (BENCHMARKS.parent / fault["file"]).read_text()
        assert text.count(fault["old"]) == 1, (fault["name"], fault["file"], fault["old"])
        assert fault["old"] != fault["new"]


def test_every_core_has_faults():
    count = collections.Counter(core for path in LISTS for fault in _faults(path)
                                for core in fault["cores"])
    assert set(count) == NAMES
    assert {name: count[name] for name in NAMES if count[name] < 8} == {}


def test_every_core_is_verified_at_length_and_on_a_board_before_a_release():
    checks = collections.defaultdict(set)
    for line in (BENCHMARKS / "release.txt").read_text().splitlines():
        if found := re.match(r"montgomery (verify|board simulate).* -a (\S+) ", line):
            checks[found[1]].add(found[2])
    assert checks == {"verify": NAMES, "board simulate": NAMES}
