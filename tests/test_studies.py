"""Notebooks of ``results/`` come to the figures that are committed beside them."""

import shutil
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.thorough
@pytest.mark.parametrize(("notebook", "made"), [
    ("options/advice", ["options/advice.md"]), ("seeds", ["compare.jsonl"]),
    ("papers", ["rower_clocks.jsonl", "multiplier_use.jsonl"]),
    ("search/replays", ["search/search.jsonl"])])
def test_a_study_comes_to_what_is_committed(tmp_path, notebook, made):
    results = tmp_path / "results"
    shutil.copytree(ROOT / "results", results)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    for name in made:
        (results / name).unlink()
    path = results / f"{notebook}.ipynb"
    nbclient.NotebookClient(nbformat.read(path, as_version=4), timeout=600,
                            resources={"metadata": {"path": str(path.parent)}}).execute()
    for name in made:
        assert (results / name).read_text() == (ROOT / "results" / name).read_text()
