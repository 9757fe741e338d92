import json

import pytest
from console import assert_refused
from measurements import row

from explore.data.frame import save


@pytest.fixture
def measured(run, fakes, tmp_path):
    """Return two rows, which are in the file rows.jsonl and in the store."""
    rows = json.loads(run("sweep", "-a", "toy", "-n", "8", "-t", "ecp5-25k", "--seeds", "2",
                          "--json").stdout)["rows"]
    save(rows, tmp_path / "rows.jsonl")
    fakes.forget()
    return rows


def test_a_row_is_measured_again(run, fakes, measured, tmp_path):
    result = run("compare", "rows.jsonl:2", "--store", tmp_path / "new")
    assert (result.exit_code, result.stdout) == (0, "toy/8 on ecp5-25k, seed 2: the same\n")
    # This seed alone, although the store has it.
    assert fakes.jobs == ["nextpnr-ecp5 2", "yosys -"]
    fakes.forget()
    result = run("compare", "rows.jsonl")
    assert result.stdout.endswith("2 of 2 rows are repeated\n")
    assert fakes.jobs == []
    assert run("compare", measured[0]["seal"][:10]).exit_code == 0


def test_what_differs_is_named(run, measured, tmp_path):
    first = measured[0]
    save([{**first, "fmax_mhz": 99.0, "lut": 11,
           "versions": {**first["versions"], "yosys": "yosys version 0"}},
          {**first, "design": "another", "lut": 10}], tmp_path / "rows.jsonl")
    result = run("compare", "rows.jsonl:1")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "toy/8 on ecp5-25k, seed 1: not the same", "  lut: 11, and now 14",
        "  fmax_mhz: 99.0, and now 101.0", "  yosys: yosys version 0, and now yosys version 1"]
    found = json.loads(run("compare", "rows.jsonl", "--json").stdout)
    assert not found["same"]
    assert [each["same"] for each in found["rows"]] == [False, False]
    assert "design" in found["rows"][1]["causes"]
    assert "The hardware is another" in run("compare", "rows.jsonl:2").stdout


@pytest.mark.parametrize("more", [[], ["--path"], ["--store", "new"]])
@pytest.mark.parametrize(("columns", "message"), [
    ({"arch": "../evil"}, "Unknown multiplier '../evil'"),
    ({"arch": "--store=x"}, "Unknown multiplier '--store=x'"),
    ({"arch": "toy,wrong"}, "Unknown multiplier 'toy,wrong'"),
    ({"target": "../evil"}, "Unknown target '../evil'"),
    ({"params": {"--pre-place": "evil.py"}}, "Unknown parameter '--pre-place'"),
    ({"params": {"style": "plain,fancy"}}, "Style must be one of plain, fancy"),
    ({"options": {"--pre-place": "evil.py"}}, "Unknown option '--pre-place'"),
    ({"options": {"placer_weight": "10 --pre-place evil.py"}}, "Option placer_weight must be one"),
    ({"options": {"abc": "flow; exec -- touch x"}}, "Option abc must be one of default, flow")])
def test_nothing_of_a_row_becomes_a_program_an_option_or_a_path(run, fakes, tmp_path, columns,
                                                                message, more):
    versions = {"yosys": "0.70 (YoWASP)", "nextpnr": "0.11 (YoWASP)"}
    save([row("toy", 8, "ecp5-25k") | {"options": {}, "versions": versions} | columns],
         tmp_path / "rows.jsonl")
    assert_refused(run("compare", "rows.jsonl:1", *more), message)
    assert fakes.calls == []
