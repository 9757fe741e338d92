"""Figures are kept while rows, program and files are as they were, and drawn again otherwise."""


import pytest
from measurements import row

from explore.plots import _kept as kept


@pytest.fixture
def drawings():
    return []


@pytest.fixture
def drawn(tmp_path, drawings):
    """Return a function that returns whether the figures of rows were drawn."""
    def ask(rows, folder="figures"):
        where = tmp_path / folder
        paths = [where / "b.svg", where / "a.png"]

        def draw():
            where.mkdir(exist_ok=True)
            drawings.append(rows)
            for path in paths:
                path.write_text(f"{path.name} of {rows}")
            return paths

        before = len(drawings)
        assert kept.drawn(rows, where, tmp_path / "store" / "drawn", draw) == paths
        return len(drawings) > before

    return ask


ROWS = [row(), row(width=128)]


def test_same_rows_are_drawn_once(drawn):
    assert drawn(ROWS)
    assert not drawn(ROWS)
    # When and where they were measured is in no figure.
    assert not drawn([{**each, "host": "another"} for each in ROWS])


def test_other_rows_are_drawn(drawn):
    assert drawn(ROWS)
    assert drawn([ROWS[0], {**ROWS[1], "lut": 1}])
    assert drawn(ROWS)
    assert drawn(ROWS[:1])


@pytest.mark.parametrize("deed", [lambda path: path.unlink(),
                                  lambda path: path.write_text("touched up by hand")])
def test_files_that_were_removed_or_changed_are_drawn_again(drawn, tmp_path, deed):
    assert drawn(ROWS)
    deed(tmp_path / "figures" / "a.png")
    assert drawn(ROWS)
    assert not drawn(ROWS)


def test_another_version_of_the_program_draws_again(drawn, tmp_path, monkeypatch):
    source = tmp_path / "program" / "plot.py"
    source.parent.mkdir()
    source.write_text("one")
    monkeypatch.setattr(kept, "_PROJECT", [source.parent])
    assert drawn(ROWS)
    assert not drawn(ROWS)
    source.write_text("another")
    assert drawn(ROWS)


@pytest.mark.parametrize("text", ["", "{}", "[]", "[[1], 2]", "\xff"])
def test_note_that_makes_no_sense_is_written_anew(drawn, tmp_path, text):
    assert drawn(ROWS)
    note, = (tmp_path / "store" / "drawn").iterdir()
    note.write_text(text, encoding="latin-1")
    assert drawn(ROWS)
    assert not drawn(ROWS)
