import csv
import io

import pytest
from measurements import row, rows

from explore.data.frame import tidy
from explore.data.summary import quantities, tabulate, written
from explore.table import FORMATS, Head, Range, Table, markdown_text, plain_table, render, text

DASH = "\N{EN DASH}"


def cells(table, arch, width, target=None):
    names = [column.name for column in table.columns]
    found = [dict(zip(names, line, strict=True)) for line in table.rows]
    found = [line for line in found if (line["core"].split()[0], line["width"]) == (arch, width)
             and (target is None or line["target"] == target)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(("cell", "shown"), [
    (None, DASH), (0, "0"), (0.0, "0"), (1024, "1024"), (1024.0, "1024"), (2307.4, "2307"),
    (231.4, "231"), (99.96, "100"), (23.14, "23.1"), (2.314, "2.31"), (0.02314, "0.0231"),
    (True, "yes"), (False, "no"), ("folded", "folded"),
    (Range(231.2, 225.4, 240.1), f"231 (225{DASH}240)"), (Range(231.0, 231.0, 231.0), "231"),
])
def test_text(cell, shown):
    assert text(cell) == shown


def test_median_and_range_over_seeds():
    table = tabulate(tidy([row(seed=seed, fmax=fmax)
                           for seed, fmax in enumerate((231, 225, 240), 1)]))
    line = cells(table, "alpha", 64)
    assert line["fmax_usable_mhz"] == Range(231, 225, 240)
    assert line["lut"] == 640
    assert f"231 (225{DASH}240)" in render(table, "terminal", width=150)
    assert "Median of 3 seeds" in table.caption


def test_seeds_that_failed_are_counted_and_left_out_of_the_median():
    table = tabulate(tidy([row(seed=1, fmax=100), row(seed=2, fmax=120),
                           row(seed=3, status="timeout")]))
    line = cells(table, "alpha", 64)
    assert line["status"] == "ok for 2 of 3"
    assert line["fmax_usable_mhz"] == Range(110, 100, 120)


def test_one_target_is_hoisted():
    table = tabulate(tidy([row(), row(width=128)]))
    assert "target" not in [column.name for column in table.columns]
    assert table.caption.startswith("One seed on ecp5-85k.")


def test_per_seed_rows_are_as_measured():
    table = tabulate(tidy(rows()), per_seed=True)
    assert len(table.rows) == len(rows())
    assert not any(isinstance(cell, Range) for line in table.rows for cell in line)


def test_best_seed_is_a_column_of_its_own_label():
    measured = tidy([row(seed=seed, fmax=200 + seed) for seed in (1, 2, 3)])
    assert "best_usable_mhz" not in [column.name for column in tabulate(measured).columns]
    table = tabulate(measured, columns=["best_usable_mhz"])
    assert cells(table, "alpha", 64)["best_usable_mhz"] == 203
    assert "best seed" in table.columns[-1].header
    with pytest.raises(ValueError, match=r"^Head best_usable_mhz needs several seeds; leave"):
        tabulate(measured, columns=["best_usable_mhz"], per_seed=True)


def test_csv_is_unrounded_and_has_medians_and_ends_apart():
    measured = tidy([row(seed=seed, fmax=200 + seed / 3) for seed in (1, 2, 3)]
                    + [row(width=128, status="no_fit")])
    lines = list(csv.DictReader(io.StringIO(written(measured, "csv"))))
    assert float(lines[0]["fmax_usable_mhz"]) == pytest.approx(200 + 2 / 3, abs=1e-12)
    assert float(lines[0]["fmax_usable_mhz_min"]) == pytest.approx(200 + 1 / 3, abs=1e-12)
    assert float(lines[0]["fmax_usable_mhz_max"]) == 201
    assert float(lines[0]["lut_us"]) == pytest.approx(640 * 64 / (200 + 2 / 3))
    assert (lines[1]["status"], lines[1]["lut"], lines[1]["latency_us"]) == ("no_fit", "1280", "")


def test_latex_escapes_what_it_must():
    nasty = r"a_b & 50% of $x #1 {y} ~z^2 \end<>"
    table = Table(caption=nasty, columns=[Head(name="x", title=nasty, numeric=False)],
                  rows=[[nasty]])
    expected = (r"a\_b \& 50\% of \$x \#1 \{y\} \textasciitilde{}z\textasciicircum{}2 "
                r"\textbackslash{}end\textless{}\textgreater{}")
    latex = render(table, "latex")
    assert latex.count(expected) == 3
    assert all(rule in latex for rule in (r"\toprule", r"\midrule", r"\bottomrule"))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("column", quantities())
def test_every_column_in_every_format(name, column):
    rendered = written(tidy(rows()), name, columns=[column])
    assert rendered.endswith("\n")
    assert "nan" not in rendered.lower()


NASTY = "a|b <b>`c`</b> *d* _e_ [f](g) \\ ~h~ $i$ &amp;\nj\x1b[2J"


def nasty():
    return Table(caption=NASTY, columns=[Head(name="=x", title=NASTY, numeric=False),
                                         Head(name="y", title="y")], rows=[[NASTY, 1]])


def test_markdown_shows_names_as_they_are():
    expected = (r"a\|b &lt;b&gt;\`c\`&lt;/b&gt; \*d\* \_e\_ \[f\](g) \\ \~h\~ \$i\$ &amp;amp; j"
                "\N{REPLACEMENT CHARACTER}\\[2J")
    assert markdown_text(NASTY) == expected
    rendered = render(nasty(), "markdown")
    assert rendered.count(expected) == 3
    # No markup where a name has none.
    assert markdown_text("mmm_mx_1d folded, 1 (2) - 3+4 #5!") == "mmm_mx_1d folded, 1 (2) - 3+4 #5!"


def test_a_long_table_in_latex_goes_over_pages():
    short, long = (render(plain_table("\N{DAGGER} and \N{DOUBLE DAGGER}", {"A": ""},
                                      [[number] for number in range(rows)]), "latex")
                   for rows in (5, 500))
    assert ("{longtable}" in short, "{longtable}" in long) == (False, True)
    for latex in (short, long):
        assert latex.isascii()
        assert latex.count(r"\begin") == latex.count(r"\end{")
        assert latex.count(r"\caption") == 1


def test_latex_takes_no_name_for_an_option_of_a_row():
    rendered = render(Table(caption="", columns=[Head(name="x", title="[x]", numeric=False)],
                            rows=[["[1cm]"], ["*"]]), "latex")
    assert [line.split()[0] for line in rendered.splitlines() if line.endswith(r"\\")] == [
        "{[}x]", "{[}1cm]", "{*}"]


@pytest.mark.parametrize("start", "=+-@\t\r")
def test_csv_has_no_formulas(start):
    table = Table(caption="", columns=[Head(name=f"{start}x", title="x"),
                                       Head(name="y", title="y")],
                  rows=[[f"{start}cmd|' /C calc'!A0", -1.5]])
    header, line = csv.reader(io.StringIO(render(table, "csv")))
    for cell in (header[0], line[0]):
        assert cell[0] not in "=+-@\t\r"
    assert line[1] == "-1.5"


def test_area_alone_is_measured_where_nothing_places():
    table = tabulate(tidy([row(), row(target="xc7", status="area_only")]))
    line = cells(table, "alpha", 64, "xc7")
    assert (line["lut"], line["fmax_usable_mhz"]) == (640, "area_only")
    assert table.caption.startswith("One seed")
    alone = tabulate(tidy([row(target="xc7", status="area_only")]))
    assert alone.caption.startswith("Area, nothing placed")
    found = tabulate(tidy([row(status="no_fmax")]))
    assert "no_fmax" in render(found, "terminal")
