"""What is read of reports is the same until the reader has another version.

After a change of what a reader returns, raise the ``reader_version`` of its stage, and renew the
columns by ``python tests/explore/pipeline/test_reports.py``.
"""

import gzip
import json
from pathlib import Path

import pytest

from explore.pipeline.stages import stages

REPORTS = sorted(Path(__file__).with_name("reports").glob("*.json.gz"))


def columns_of(path, document):
    stage = stages()[path.name.partition("_")[0]]
    return stage.reader_version, type(stage).reader(
        {}, lambda name: document["files"][name].encode(), **document["arguments"])


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.name)
def test_columns(path):
    document = json.loads(gzip.decompress(path.read_bytes()))
    assert columns_of(path, document) == (document["version"], document["columns"])


def test_all_families_that_are_placed_have_reports():
    assert len(REPORTS) >= 20
    assert {path.name.partition("_")[0] for path in REPORTS} == {"synth", "place"}


if __name__ == "__main__":
    for each in REPORTS:
        found = json.loads(gzip.decompress(each.read_bytes()))
        found["version"], found["columns"] = columns_of(each, found)
        each.write_bytes(gzip.compress(json.dumps(found).encode(), 9, mtime=0))
