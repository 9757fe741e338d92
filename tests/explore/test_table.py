"""Tables of measurements: they fit where they are shown, and tell rows apart."""

import csv
import io

import pytest
from measurements import row, rows

import montgomery
from explore.data.frame import load, tidy
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
    measured = tidy([*(row(seed=seed, fmax=fmax) for seed, fmax in enumerate((231, 225, 240), 1)),
                     row(seed=4, status="timeout")])
    table = tabulate(measured)
    assert "target" not in [column.name for column in table.columns]
    assert table.caption.startswith("Median of 4 seeds (")
    assert " on ecp5-85k." in table.caption
    line = cells(table, "alpha", 64)
    assert (line["status"], line["lut"]) == ("ok for 3 of 4", 640)
    assert line["fmax_usable_mhz"] == Range(231, 225, 240)
    assert f"231 (225{DASH}240)" in render(table, "terminal", width=150)
    assert [line[-1] for line in tabulate(measured, columns=["fmax_mhz"], per_seed=True).rows] == [
        231, 225, 240, None]


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
def test_every_column_in_every_format(name):
    measured = tidy(rows())
    for column in quantities():
        rendered = written(measured, name, columns=[column])
        assert rendered.endswith("\n")
        assert "nan" not in rendered.lower(), column


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


def body(shown):
    """Return the lines of a terminal's table that are below the rule."""
    lines = shown.splitlines()
    rule, = (place for place, line in enumerate(lines) if line.startswith("─"))
    end = next((place for place in range(rule, len(lines))
                if lines[place].startswith("There is no room")), len(lines))
    return [line for line in lines[rule + 1:end] if line]


@pytest.fixture(scope="module")
def of_all_cores(saved_registry):
    return load(saved_registry)


@pytest.mark.real_cores
@pytest.mark.parametrize("width", [80, 100, 160])
def test_all_that_was_measured_fits_a_terminal(of_all_cores, width):
    shown = written(of_all_cores, "terminal", width=width)
    assert max(map(len, shown.splitlines())) <= width
    for name in montgomery.architectures():
        assert f"\n{name}" in shown
    for quantity in ("Core", "Width", "LUT", "Fmax", "Latency"):
        assert quantity in shown


def test_a_narrow_table_leaves_out_what_is_needed_least_and_says_so():
    shown = {width: written(tidy(rows()), "terminal", width=width) for width in (50, 80, 200)}
    left_out = {width: [name for name in ("ff", "throughput_mbps", "lut_us", "cycles_compute")
                        if name in "".join(text.partition("There is no room for")[2].split())]
                for width, text in shown.items()}
    assert left_out[200] == []
    assert left_out[80] == ["ff", "throughput_mbps"]
    assert left_out[50] == ["ff", "throughput_mbps", "lut_us", "cycles_compute"]
    assert all("Latency" in text and "Fmax" in text for text in shown.values())
    assert "'montgomery table' with --columns or --format csv" in " ".join(shown[80].split())
    assert all(max(map(len, text.splitlines())) <= width for width, text in shown.items())


def test_ranges_are_whole_short_or_left_out_and_the_caption_says_which():
    measured = tidy([row(seed=seed, fmax=fmax, params={"style": "x" * 18})
                     for seed, fmax in ((1, 200.0), (2, 190.0), (3, 202.0))])
    wide, narrow, least = (written(measured, "terminal", width=width) for width in (150, 80, 42))
    assert "200 (190\N{EN DASH}202)" in wide
    assert "Median of 3 seeds (smallest\N{EN DASH}largest)" in wide
    assert "200 ±5%" in narrow
    assert "(± is the largest deviation of a seed)" in " ".join(narrow.split())
    assert "±" not in least
    assert "\N{EN DASH}" not in least


def test_columns_that_are_asked_for_are_all_shown():
    measured = tidy([row(seed=seed, fmax=fmax) for seed, fmax in ((1, 200.0), (2, 190.0))])
    names = ["latency_us", "throughput_mbps", "fmax_mhz", "lut_us", "lut", "ff", "host", "date"]
    for width in (60, 200):
        shown = written(measured, "terminal", columns=names, width=width)
        for name in ("Latency", "Throughput", "Area-time", "Host", "2026-01-01"):
            assert name in shown
        assert ("195 (190\N{EN DASH}200)" in shown) == (width == 200)
        assert "no room" not in shown


def test_targets_are_headings_and_failures_stand_in_place_of_the_clock():
    shown = written(tidy([*rows(), row("beta", 256, "ice40-hx8k", status="no_fit")]), "terminal",
                    width=80)
    lines = body(shown)
    assert [line for line in lines if " " not in line] == ["ecp5-85k", "ice40-hx8k"]
    failed, = (line for line in lines if "no_fit" in line)
    assert failed.split()[:3] == ["beta", "256", "2560"]
    assert "Status" not in shown
    partly = written(tidy([row(), row(seed=2, status="timeout")]), "terminal", width=80)
    assert "Status" in partly
    assert "ok for 1 of 2" in " ".join(partly.split())


def test_cores_are_named_with_what_is_not_as_by_default():
    """The toy has style=plain and word_width=8 by default, and placers on ECP5 a weight of 30."""
    measured = [row("toy", params={"style": style, "word_width": 16}, options=options)
                for style, options in (("plain", {"placer_weight": 30}),
                                       ("fancy", {"placer_weight": 5}))]
    shown = written(tidy(measured), "terminal", width=120)
    assert [line.partition("  ")[0] for line in body(shown)] == [
        "toy style=fancy placer_weight=5", "toy"]
    caption = " ".join(shown.split())
    assert "All rows have word_width=16." in caption


def test_only_rows_that_have_a_setting_are_said_to_have_it():
    measured = [row("beta", params={"steps": 4}), row("beta", 128, params={"steps": 4}),
                row("alpha", params={"word": 8})]
    shown = " ".join(written(tidy(measured), "terminal", width=80).split())
    assert "All rows of beta have steps=4." in shown

def read_csv(measured, **how):
    return list(csv.DictReader(io.StringIO(written(measured, "csv", **how))))


def test_csv_has_the_same_columns_whatever_is_selected():
    one = tidy([row(status="no_fit")])
    many = tidy([*rows(), row("gamma", status="area_only", target="xc7") | {"dsp": 3}])
    assert list(read_csv(one)[0]) == list(read_csv(many)[0])
    keys = ["kind", "arch", "width", "params", "target", "options", "earlier", "seeds", "seeds_ok",
            "status"]
    for measured in (one, many):
        assert list(read_csv(measured)[0])[:len(keys)] == keys
        assert list(read_csv(measured, columns=["lut", "status"])[0]) == [*keys, "lut"]
    assert len({tuple(line[key] for key in keys[:6]) for line in read_csv(many)}) == 19
    assert {line["seeds"] for line in read_csv(many) if line["arch"] != "gamma"} == {"3"}
    assert read_csv(tidy([row(params={"b": 1, "a": True})]))[0]["params"] == '{"a": true, "b": 1}'


@pytest.mark.parametrize(("targets", "doubted"), [
    (["gowin-gw2a-18"], "Clocks on gowin-gw2a-18 are nextpnr's estimates"),
    (["ecp5-85k", "gowin-gw1nr-9c", "gowin-gw2a-18"],
     "Clocks on gowin-gw1nr-9c and gowin-gw2a-18 are nextpnr's estimates"),
    (["ecp5-85k", "ice40-hx8k"], None), (["nexus-lifcl-40", "xc7"], None)])
@pytest.mark.parametrize("format", ["terminal", "markdown", "latex"])
def test_clocks_that_are_not_to_be_believed_are_said_to_be(targets, doubted, format):
    shown = " ".join(written(tidy([row(target=target) for target in targets]), format).split())
    assert ("estimates" in shown) == bool(doubted)
    assert (doubted or "") in shown
