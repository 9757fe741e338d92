"""Seals of rows: a figure that was changed shows, and files change nothing."""

import json

import pytest
from measurements import row, rows

from explore.data.frame import load, notes, save
from explore.data.rows import is_sealed, read, seal, sealed

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


def test_rows_of_many_files_are_told_in_one_line(tmp_path):
    for name in "abcde":
        (tmp_path / name).mkdir()
        save([row(width=width) | {"lut": 1} for width in (8, 16)], tmp_path / name / "rows.jsonl")
    note, = notes(load(tmp_path))
    first = ", ".join(f"2 of 2 rows of {tmp_path}/{name}/rows.jsonl" for name in "abc")
    assert note.startswith(f"{first}, and rows of 2 other files carry no valid seal: they were")
