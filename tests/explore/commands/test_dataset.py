"""What commands answer from the rows that come with the program."""

import pytest
from console import assert_refused
from measurements import row

from explore.data.frame import save
from explore.data.rows import DATASET
from explore.store import Store

NOTE = "note: rows that come with the program are used"


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    """Rows of 256 and 512 bits in place of those that come with the program."""
    path = tmp_path / "dataset.jsonl"
    save([row(width=width) for width in (256, 512)], path)
    monkeypatch.setattr("explore.commands._rows.DATASET", path)
    monkeypatch.setattr("explore.data.rows.DATASET", path)


@pytest.fixture
def own(tmp_path):
    """A store with a row of 64 bits, and one of 512 bits."""
    with Store(tmp_path / "store") as store:
        store.remember_rows({str(width): row(width=width, lut=7) for width in (64, 512)})


def widths(result):
    assert result.exit_code == 0, result.stderr
    return [int(line.split(",")[2]) for line in result.stdout.splitlines()[1:]]


def table(run, *arguments):
    return run("table", "--format", "csv", "--columns", "lut", *arguments)


def test_without_a_store_there_are_the_rows_of_the_program(run, dataset):
    result = table(run)
    assert NOTE in result.stderr
    assert widths(result) == [256, 512]
    assert_refused(table(run, "--from", "nowhere"), "Path 'nowhere' does not exist")


def test_both_are_shown_and_the_store_goes_first(run, dataset, own):
    result = table(run)
    assert sorted(widths(result)) == [64, 256, 512]
    assert "note: 2 rows of your store, and 1 that come with the program" in result.stderr
    assert table(run, "-n", "512").stdout.splitlines()[1].endswith(",7")
    assert widths(table(run, "-n", "256")) == [256]
    assert_refused(table(run, "-n", "128"), "Nothing was measured of width 128")


def test_either_has_a_name(run, dataset, own, tmp_path):
    assert widths(table(run, "--from", tmp_path / "store")) == [64, 512]
    assert widths(table(run, "--from", "program")) == [256, 512]
    assert sorted(widths(table(run, "--from", "program", "--from", tmp_path / "store"))) == [
        64, 256, 512]
    assert_refused(table(run, "-n", "256", "--from", tmp_path / "store"),
                   "Nothing was measured of width 256")
    assert run("compare", "program", "program", "--fail-on", "change").exit_code == 0


def test_a_partial_row_hides_no_measured_one(run, dataset, tmp_path):
    with Store(tmp_path / "store") as store:
        store.remember_rows({"a": row(width=512, lut=7, status="partial"),
                             "b": row(width=64, lut=8, status="partial")})
    lines = table(run).stdout.splitlines()[1:]
    assert {line.rpartition(",")[2] for line in lines} == {"2560", "5120", "8"}


def test_recommendations_are_among_all(run, dataset, own):
    for bits, lut in ((256, "2,560 LUT"), (512, "7 LUT"), (64, "7 LUT")):
        result = run("recommend", "-n", bits)
        assert result.exit_code == 0, result.stderr
        assert lut in result.stdout


@pytest.mark.parametrize("asked", [("--bits", "384", "-t", "ice40-up5k"),
                                   ("--bits", "256", "-t", "gowin-gw2a-18"),
                                   ("--bits", "3072", "--kind", "rsa_crt")])
def test_the_rows_of_the_program_answer(run, asked):
    assert DATASET.exists()
    result = run("recommend", *asked)
    assert result.exit_code == 0, result.stderr
    assert "montgomery export " in result.stdout
