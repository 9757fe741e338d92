"""Rows: files of all sorts, seals, frames and medians."""

import json
from pathlib import Path

import hostile
import pytest
from console import assert_refused
from measurements import row, rows

from explore.data.frame import ResultsError, load, medians, notes, save, tidy
from explore.data.labels import labels
from explore.data.rows import is_sealed, read, read_each, seal, sealed, update

NESTED = {"versions": {"yosys": "0.7"}, "arguments": {"yosys": ["-q"]}}


def toy_row(seed, fmax, status="ok", **changes):
    return {"arch": "toy", "kind": "multiplier", "width": 8, "params": {"word_width": 8},
            "target": "ice40-hx8k", "options": {"abc": "flow3"}, "seed": seed, "status": status,
            "constant_time": True, "lut": 14, "ff": 7, "fmax_mhz": fmax,
            "latency_us": fmax and 10 / fmax, "key": "12345", "log": None, **NESTED, **changes}


ROWS = [toy_row(1, 100.5), toy_row(2, 120.0), toy_row(3, 90.0),
        toy_row(4, None, "timeout", log="a\nb, 'c'"),
        toy_row(1, None, "no_fit", width=16, lut=None, constant_time=None)]


#: The same with what the rows do not say of parameters and options, which are as by default.
COMPLETE = [each | {"params": {"word_width": 8, "ballast": 0, "style": "plain"},
                    "options": {"abc": "flow3", "placer_weight": 10}} for each in ROWS]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_file_holds_what_was_saved(tmp_path, name):
    path = tmp_path / name
    if name == "rows.json":
        path.write_text(json.dumps({"schema": 1, "rows": ROWS}))
    else:
        save(ROWS, path)
    assert load(path).equals(tidy(COMPLETE))


def test_load_of_a_store(store):
    store.remember_rows({str(index): row for index, row in enumerate(ROWS)})
    assert load(store.path).equals(tidy(COMPLETE))


def test_tidy():
    table = tidy(ROWS)
    assert list(table["param_word_width"]) == [8] * 5
    assert set(table["option_abc"]) == {"flow3"}
    assert table["fmax_mhz"].isna().sum() == 2
    assert table["fmax_mhz"].dtype.kind == table["lut"].dtype.kind == "f"


def test_medians():
    first, second = medians(tidy(ROWS)).to_dict("records")
    assert (first["fmax_mhz"], first["fmax_mhz_min"], first["fmax_mhz_max"]) == (100.5, 90, 120)
    assert (first["seeds"], first["seeds_ok"], first["status"]) == (4, 3, "ok")
    assert (first["lut"], first["width"], first["target"]) == (14, 8, "ice40-hx8k")
    assert (second["seeds"], second["seeds_ok"], second["status"]) == (1, 0, "no_fit")
    assert second["fmax_mhz"] != second["fmax_mhz"]


def test_medians_keep_points_apart():
    rows = [toy_row(seed, 100 + seed, **changes) for seed in (1, 2) for changes in (
        {}, {"width": 16}, {"params": {"word_width": 4}}, {"options": {"abc": "default"}},
        {"target": "ecp5-25k"}, {"arch": "other"}, {"kind": "exponentiator"})]
    assert list(medians(tidy(rows))["seeds"]) == [2] * 7


def test_no_rows():
    assert tidy([]).empty
    assert medians(tidy([])).empty


def test_labels_leave_out_what_a_target_has_not():
    measured = medians(tidy([
        row("alpha", target="one", options={"placer": placer}) for placer in ("heap", "static")]
        + [row("alpha", target="two")]))
    assert labels(measured) == ["alpha placer=heap", "alpha placer=static", "alpha"]


ODD = [
    row() | {"log": "a\r\nb\rc\n\td \u2028 \x0b \"quoted\", 'single'", "host": " spaces "},
    row() | {"log": "=cmd|' /C calc'!A0", "host": "'=1", "critical_path": "+a", "date": "-1"},
    row() | {"log": "", "extra": "1.5", "other": "True", "more": "", "nested": [1, {"a": None}]},
    row(params={"a": "=1", "b": 1.0, "c": True, "d": None, "e": -5}) | {"fmax_mhz": 0.1 + 0.2},
    row() | {"lut_us": 1e-7, "latency_us": 257, "seconds_place": 1e15, "number": -3, "=sum": "@x"},
]


def test_a_seal_is_over_what_was_measured():
    found = row()
    assert is_sealed(found)
    for name, value in found.items():
        changed = found | {name: "other" if value != "other" else "others"}
        # The same measurement on another machine has the same seal.
        incidental = name in ("engine", "host", "date", "seconds_synth", "seconds_place",
                               "verified")
        assert is_sealed(changed) == incidental, name
    assert not is_sealed(found | {"fmax_mhz": found["fmax_mhz"] + 1e-9})
    assert not is_sealed(found | {"more": 1})
    assert not is_sealed({name: value for name, value in found.items() if name != "seal"})
    assert not is_sealed(found | {"seal": None})


def test_a_seal_is_the_same_in_every_version_of_python():
    assert seal({"arch": "a", "fmax_mhz": 0.1, "width": 64, "params": {"b": True, "a": "µ"}}) == (
        "83e5371de95702c156af570eea26d9ad13e83f34e3e86e2457164f85e4f238d7")


def test_the_order_and_what_is_empty_do_not_count():
    found = row()
    assert seal(dict(reversed(found.items()))) == seal(found)
    assert seal({name: value for name, value in found.items() if value not in (None, {})}) == (
        seal(found))
    assert seal(found | {"fmax_mhz": 200}) == seal(found | {"fmax_mhz": 200.0})


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_a_seal_outlives_a_file(name, tmp_path):
    path = tmp_path / name
    made = [sealed(each) for each in (*rows(), *ODD)]
    if name == "rows.json":
        path.write_text(json.dumps({"schema": 1, "rows": made}))
    else:
        save(made, path)
    again = read(path)
    assert all(map(is_sealed, again))
    assert [each["log"] or None for each in again] == [each["log"] or None for each in made]


def test_rows_that_were_changed_are_told(run, tmp_path):
    made = rows()
    made[3]["lut"] += 1
    made[5]["fmax_usable_mhz"] *= 2
    save(made, tmp_path / "rows.jsonl")
    note = ("2 of 54 rows of rows.jsonl carry no valid seal: they were changed by hand or made by "
            "an older version; measure them again")
    assert notes(load("rows.jsonl")) == [note]
    for command in (("table",), ("table", "-a", "beta"), ("recommend", "--bits", 32),
                    ("plot", "lut_width", "--format", "svg")):
        result = run(*command, "--from", "rows.jsonl")
        assert (result.exit_code, result.stderr) == (0, f"note: {note}\n")
    result = run("report", "--format", "markdown", "--from", "rows.jsonl")
    assert result.stderr == f"note: {note}\n"
    assert f"**{note}.**" in (tmp_path / "report/report.md").read_text()
    save(rows(), tmp_path / "rows.jsonl")
    assert run("table", "--from", "rows.jsonl").stderr == ""


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


@pytest.mark.real_cores
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


@pytest.mark.real_cores
@pytest.mark.parametrize("name", ["rubbish.jsonl", "deep.jsonl"])
def test_every_command_says_what_is_wrong(name, run, tmp_path):
    contents, message = hostile.REFUSED[name]
    hostile.write(tmp_path / name, contents)
    for command in (*COMMANDS, *DRAWING):
        assert_refused(run(*command, "--from", name), message)


@pytest.mark.real_cores
@pytest.mark.parametrize("name", hostile.ACCEPTED)
def test_what_is_odd_is_shown(name, run, tmp_path):
    drawn = name in ("empty.jsonl", "least.jsonl", "null_params.jsonl", "zeros.jsonl",
                     "unknown.jsonl")
    hostile.write(tmp_path / name, hostile.ACCEPTED[name])
    for command in (*COMMANDS, *DRAWING * drawn):
        assert_answered(run(*command, "--from", name))


@pytest.mark.real_cores
def test_defaults_of_what_a_row_must_have(tmp_path):
    path = hostile.write(tmp_path / "rows.jsonl", hostile.ACCEPTED["least.jsonl"])
    found, = read(path)
    assert (found["params"], found["options"]) == ({}, {})
    assert load(path)["lut"].isna().all()


@pytest.mark.real_cores
def test_unknown_columns_are_kept(tmp_path):
    more = {"extra": [1, {"a": "b"}], "number": "1.5", "word": "x"}
    save([row() | more], tmp_path / "rows.jsonl")
    found, = read(tmp_path / "rows.jsonl")
    assert more.items() <= found.items()


@pytest.mark.real_cores
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


@pytest.mark.real_cores
def test_a_new_outcome_takes_the_place_of_those_of_the_same_key(tmp_path):
    path = tmp_path / "new" / "rows.jsonl"
    update(path, ("core", "params"), [{"core": "b", "params": {"n": 1}, "ok": False},
                                      {"core": "a", "params": {"n": 2}, "ok": True}])
    rows = update(path, ("core", "params"), [{"core": "b", "params": {"n": 1}, "ok": True},
                                             {"core": "b", "params": {"n": 3}, "ok": True}])
    assert [(row["core"], row["params"]["n"], row["ok"]) for row in rows] == [
        ("a", 2, True), ("b", 1, True), ("b", 3, True)]
    assert list(map(json.loads, path.read_text().splitlines())) == rows


@pytest.mark.real_cores
@pytest.mark.parametrize("text", ["mine\n", "[]\n", '{"core": "a"}\n'])
def test_another_file_is_not_replaced(tmp_path, text):
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"must hold lines of JSON with core, params; remove it"):
        update(path, ("core", "params"), [])
    assert path.read_text() == text
