"""Rows files of all sorts: they are read, or one line says what is wrong with them."""

import json
from pathlib import Path

import hostile
import pytest
from measurements import row

from explore.data.frame import ResultsError, load, save
from explore.data.rows import read, read_each, update

pytestmark = pytest.mark.real_cores

RESULTS = Path(__file__).parents[3] / "results"
COMMANDS = [("table",), ("table", "seeds", "--format", "latex"), ("recommend", "--bits", "2"),
            ("table", "curves"), ("table", "limits")]
DRAWING = [("plot", "lut_width", "latency_lut", "--format", "svg", "--output", "figures"),
           ("report", "--format", "html", "--format", "markdown", "--output", "report")]


def assert_answered(result):
    """Assert that a command did what it should, or said in one line why not."""
    said = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
    assert "internal error" not in result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    if result.exit_code in (0, 1):
        assert not said
    else:
        assert result.exit_code == 2
        assert len(said) == 1


@pytest.mark.parametrize("name", hostile.REFUSED)
def test_what_is_wrong_is_one_line(name, tmp_path):
    contents, message = hostile.REFUSED[name]
    path = hostile.write(tmp_path / name, contents)
    with pytest.raises(ResultsError) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < len(str(path)) + 300


@pytest.mark.parametrize("name", ["rubbish.jsonl", "nan.jsonl", "deep.jsonl"])
@pytest.mark.parametrize("command", [*COMMANDS, *DRAWING], ids=lambda command: command[0])
def test_every_command_says_what_is_wrong(name, command, run, tmp_path):
    contents, message = hostile.REFUSED[name]
    hostile.write(tmp_path / name, contents)
    result = run(*command, "--from", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"montgomery: {name}")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("name", hostile.ACCEPTED)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_what_is_odd_is_shown(name, command, run, tmp_path):
    hostile.write(tmp_path / name, hostile.ACCEPTED[name])
    assert_answered(run(*command, "--from", name))


@pytest.mark.parametrize("name", ["empty.jsonl", "least.jsonl", "null_params.jsonl", "zeros.jsonl",
                                  "unknown.jsonl"])
@pytest.mark.parametrize("command", DRAWING, ids=lambda command: command[0])
def test_what_is_odd_is_drawn(name, command, run, tmp_path):
    hostile.write(tmp_path / name, hostile.ACCEPTED[name])
    assert_answered(run(*command, "--from", name))


def test_defaults_of_what_a_row_must_have(tmp_path):
    path = hostile.write(tmp_path / "rows.jsonl", hostile.ACCEPTED["least.jsonl"])
    found, = read(path)
    assert (found["params"], found["options"]) == ({}, {})
    assert load(path)["lut"].isna().all()


def test_unknown_columns_are_kept(tmp_path):
    more = {"extra": [1, {"a": "b"}], "number": "1.5", "word": "x"}
    save([row() | more], tmp_path / "rows.jsonl")
    found, = read(tmp_path / "rows.jsonl")
    assert more.items() <= found.items()


def test_a_document_names_the_row(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"schema": 1, "rows": [row(), row() | {"width": -1}]}, indent=1))
    with pytest.raises(ResultsError, match=r"rows\.json, row 2: .* - at `\$\.width`"):
        read(path)


@pytest.mark.parametrize("path", sorted(RESULTS.rglob("rows.jsonl")),
                         ids=lambda path: path.parent.name)
def test_lines_are_read_alike_with_and_without_a_seal(path, tmp_path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    found = list(read_each(path))
    assert all(sealed for _, sealed in found)
    assert [{name: each[name] for name in line} for line, (each, _) in zip(
        lines, found, strict=True)] == lines
    save([line | {"seal": None} for line in lines], tmp_path / "rows.jsonl")
    again = list(read_each(tmp_path / "rows.jsonl"))
    assert not any(sealed for _, sealed in again)
    assert [repr(each | {"seal": None}) for each, _ in found] == [repr(each) for each, _ in again]


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
