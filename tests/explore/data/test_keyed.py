"""Files of outcomes that later ones replace."""

import json

import pytest

from explore.data.rows import update


def test_a_new_outcome_takes_the_place_of_those_of_the_same_key(tmp_path):
    path = tmp_path / "new" / "rows.jsonl"
    update(path, ("core", "params"), [{"core": "b", "params": {"n": 1}, "ok": False},
                                      {"core": "a", "params": {"n": 2}, "ok": True}])
    rows = update(path, ("core", "params"), [{"core": "b", "params": {"n": 1}, "ok": True},
                                             {"core": "b", "params": {"n": 3}, "ok": True}])
    assert [(row["core"], row["params"]["n"], row["ok"]) for row in rows] == [
        ("a", 2, True), ("b", 1, True), ("b", 3, True)]
    assert list(map(json.loads, path.read_text().splitlines())) == rows


@pytest.mark.parametrize("text", ["mine\n", "[]\n", '{"core": "a"}\n'])
def test_another_file_is_not_replaced(tmp_path, text):
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"must hold lines of JSON with core, params; remove it"):
        update(path, ("core", "params"), [])
    assert path.read_text() == text
