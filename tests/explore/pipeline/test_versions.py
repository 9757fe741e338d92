"""Versions of readers and of the plan of verifications rise with what they say.

An outcome counts for as long as they stay, so an edit that returns something else has to raise
them. ``pytest --renew tests/explore/pipeline/test_versions.py`` says that this was done, or that
the edit returns the same.
"""

import json
import pkgutil
from pathlib import Path

import pytest

from explore.fingerprint import own_fingerprint
from explore.pipeline.stages import stages
from explore.pipeline.stages.stimuli import PLAN
from explore.simulation import kinds

FILE = Path(__file__).with_name("versions.json")
#: The modules of the reader of each stage.
READERS = {"synth": ["netlist.area"],
           "place": ["netlist.timing"],
           "verify": ["simulation.counts"]}
PLANNED = [f"simulation.{name}" for name in (
    "plan", "conditions", "resets", "attempt", "verify", "kinds",
    *(f"kinds.{info.name}" for info in pkgutil.iter_modules(kinds.__path__)))]


def today():
    found = {name: [stages()[name].reader_version, modules] for name, modules in READERS.items()}
    return {name: [version, own_fingerprint(*(f"explore.{module}" for module in modules))[:16]]
            for name, (version, modules) in (found | {"plan": [PLAN, PLANNED]}).items()}


def test_each_reader_is_watched():
    assert {name for name, stage in stages().items() if stage.reader} == READERS.keys()


@pytest.mark.parametrize("name", [*READERS, "plan"])
def test_who_edits_raises_the_version(request, name):
    if request.config.getoption("--renew"):
        FILE.write_text(json.dumps(today(), indent=1) + "\n")
    version, code = json.loads(FILE.read_text())[name]
    assert today()[name] == [version, code], (
        f"What {name} says may be another one: raise its version from {version} if it is, and run "
        f"pytest --renew {Path(__file__).name}")
