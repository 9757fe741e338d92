import json

import pytest

from explore.data.frame import ResultsError, load, medians, save, tidy
from explore.store.folder import StoreError

NESTED = {"versions": {"yosys": "0.7"}, "arguments": {"yosys": ["-q"]}}


def row(seed, fmax, status="ok", **changes):
    return {"arch": "toy", "kind": "multiplier", "width": 8, "params": {"word_width": 8},
            "target": "ice40-hx8k", "options": {"abc": "flow3"}, "seed": seed, "status": status,
            "constant_time": True, "lut": 14, "ff": 7, "fmax_mhz": fmax,
            "latency_us": fmax and 10 / fmax, "key": "12345", "log": None, **NESTED, **changes}


ROWS = [row(1, 100.5), row(2, 120.0), row(3, 90.0), row(4, None, "timeout", log="a\nb, 'c'"),
        row(1, None, "no_fit", width=16, lut=None, constant_time=None)]


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
    rows = [row(seed, 100 + seed, **changes) for seed in (1, 2) for changes in (
        {}, {"width": 16}, {"params": {"word_width": 4}}, {"options": {"abc": "default"}},
        {"target": "ecp5-25k"}, {"arch": "other"}, {"kind": "exponentiator"})]
    assert list(medians(tidy(rows))["seeds"]) == [2] * 7


def test_no_rows():
    assert tidy([]).empty
    assert medians(tidy([])).empty


def test_what_cannot_be_loaded(tmp_path):
    with pytest.raises(StoreError, match="No measurements in"):
        load(tmp_path / "none")
    path = tmp_path / "rows.jsonl"
    for text, message in (("rubbish", "JSON is malformed"), ('{"a": 1}', "Object missing"),
                          ("[1]", "Expected `object`, got `array`")):
        path.write_text(text)
        with pytest.raises(ResultsError, match=rf"rows\.jsonl, line 1: {message}"):
            load(path)
