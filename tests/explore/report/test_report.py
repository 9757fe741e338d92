"""The report: what it says of made-up measurements, and the page in a browser."""

import dataclasses
import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from measurements import row

from explore.cli import cli
from explore.data.frame import load, medians, save, tidy
from explore.data.trends import fronts, growth, pareto, rsa
from explore.papers import Published, published
from explore.papers._claims import claims
from explore.papers._compare import same_family, tabulate
from explore.report import compose, write_html, write_markdown
from montgomery import KINDS, architectures

RESULTS = Path(__file__).parents[3] / "results"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(autouse=True)
def registry():
    """The real one, in place of toys."""


@pytest.fixture(scope="module")
def measured(saved_registry):
    return load(saved_registry)


@pytest.fixture(scope="module")
def document(measured):
    return compose(measured)


def figure(**figures):
    return Published(source="A paper", table="Table 1", core="alpha", kind="multiplier", width=64,
                     device="Xilinx Artix-7", figures=figures)


def table_of(figures, measured):
    table = tabulate("A paper", figures, medians(tidy(measured)))
    names = [column.name for column in table.columns]
    return [dict(zip(names, found, strict=True)) for found in table.rows]


def test_ratios_are_of_what_may_be_compared():
    ours = [row(target="ecp5-85k", lut=300, fmax=100.0),
            row(target="xc7", status="area_only", lut=200)]
    theirs, on_ecp5, on_xc7 = table_of([figure(lut=400, cycles_compute=32, latency_us=0.5)], ours)
    assert theirs["area"] == 400
    assert on_ecp5["area_ratio"] is None
    assert on_xc7["area_ratio"] == 0.5
    assert on_ecp5["cycles_ratio"] == on_xc7["cycles_ratio"] == 2
    assert on_ecp5["time_ratio"] == pytest.approx(0.64 / 0.5)
    assert on_xc7["time_ratio"] is None
    assert on_xc7["device"] == "xc7 (area_only)"


def test_the_interval_is_compared_where_a_paper_counts_it():
    _, ours = table_of([figure(cycles_interval=36, latency_us=1.0)], [row(fmax=100.0)])
    assert ours["cycles"] == 72
    assert ours["cycles_ratio"] == 2
    assert ours["latency_us"] == pytest.approx(0.72)


def test_only_the_fastest_and_the_smallest_of_a_target_stand_beside_a_figure():
    ours = [row(lut=lut, fmax=fmax, params={"word": lut})
            for lut, fmax in ((100, 50.0), (200, 250.0), (300, 200.0))]
    found = table_of([figure(lut=400)], ours)
    assert [each["area"] for each in found] == [400, 200, 100]


def test_slices_of_the_same_family_are_estimated():
    theirs, on_ecp5, on_xc7 = table_of(
        [figure(slices=40)], [row(target="ecp5-85k", lut=300, fmax=100.0),
                              row(target="xc7", status="area_only", lut=200)])
    assert (theirs["area"], theirs["unit"]) == (40, "slices")
    assert on_ecp5["others"] is None
    assert on_xc7["others"] == "50 slices or more (estimate: all full)"
    assert on_xc7["area_ratio"] is None


def test_devices_of_papers_have_a_family():
    assert same_family("Xilinx XC6VLX240T-1, ISE 11.4") == "xc6v"
    assert same_family("0.25 µm CMOS") is None


def test_pareto_by_hand():
    points = medians(tidy([row(lut=lut, fmax=fmax, params={"word": index})
                           for index, (lut, fmax) in enumerate(((10, 100.0), (20, 200.0),
                                                                (30, 150.0), (20, 180.0)))]))
    assert sorted(pareto(points, ("lut", "latency_us"))["lut"]) == [10, 20]
    assert [found[2] for found in fronts(points, 64).rows] == [20, 10]
    assert fronts(points, 512) is None


def test_growth_is_the_exponent():
    measured = [row(width=width, lut=width ** 2) for width in (32, 64, 128)]
    (found,) = growth(medians(tidy(measured))).rows
    assert found[2:4] == [32, 128]
    assert found[4:] == pytest.approx([2, 0, 1, 3])
    assert growth(medians(tidy(measured[:2]))) is None


def test_times_of_rsa():
    points = medians(tidy([row(width=1024, fmax=100.0),
                           row(width=1024, fmax=100.0) | {"kind": "exponentiator",
                                                          "cycles_compute": 1_000_000}]))
    found = {each[2]: each[7].median for each in rsa(points).rows}
    assert found["exponentiator"] == pytest.approx(10)
    assert found["multiplier"] == pytest.approx(2050 * 1032 / 100_000)


def _cox_rower(kind, width, clocks, fmax):
    made = row("cox_rower", width=width, fmax=fmax, params={"rowers": 11},
               options={"placer_weight": 30}) | {
        "kind": kind, "cycles_compute": clocks, "latency_us": clocks / fmax}
    return made | {"dsp": 88, "bram": 50}


def test_rsa_with_crt_is_told_from_rsa_without():
    measured = [_cox_rower("exponentiator", 1024, 300_000, 60.0),
                _cox_rower("exponentiator", 2048, 2_000_000, 50.0),
                _cox_rower("rsa_crt", 2048, 600_000, 50.0)]
    points = medians(tidy(measured))
    assert [(each[0], each[2], each[7].median) for each in rsa(points).rows] == [
        (1024, "exponentiator", 5.0), (2048, "rsa_crt", 12.0), (2048, "exponentiator", 40.0)]
    figures = [figure for figure in published()["nozaki_cox_rower"] if figure.width == 2048]
    without, ours, with_crt, ours_with_crt = table_of(figures, measured)
    assert (without["latency_us"], with_crt["latency_us"]) == (29200, 8900)
    assert ours["cycles_ratio"] == pytest.approx(2_000_000 / 2_336_000)
    assert ours_with_crt["cycles_ratio"] == pytest.approx(600_000 / 712_000)
    assert [row[1:3] for row in claims("nozaki_cox_rower", points).rows
            if row[0] == "RSA of 2048 bits with CRT, clocks"] == [[712_000, 600_000]]


def _signatures(measured):
    """Return the rows of the table of signatures as dictionaries."""
    part = next(part for part in compose(tidy(measured)).first if part.anchor == "signatures")
    table, = part.tables
    names = [column.name for column in table.columns]
    return [dict(zip(names, found, strict=True)) for found in table.rows]


def _signer(kind, width, fmax, seed=1, **changes):
    made = _cox_rower(kind, width, 999_000, fmax) | {
        "cycles_interval": 1_000_000, "throughput_mbps": width * fmax / 1_000_000,
        "throughput_pipelined_mbps": None, "seed": seed}
    return made | changes


def test_signatures_stand_beside_those_of_others():
    measured = [*(_signer("rsa_crt", 2048, fmax, seed) for seed, fmax in
                  enumerate((130.0, 120.0, 150.0), 1)),
                _signer("exponentiator", 1024, 100.0), _signer("rsa_crt", 512, 100.0),
                _signer("multiplier", 2048, 100.0),
                _signer("rsa_crt", 4096, 100.0, status="timeout")]
    found = _signatures(measured)
    ours = [each for each in found if each["figure"] == "measured"]
    assert [(each["key"], each["kind"], each["signatures"]) for each in ours] == [
        (1024, "exponentiator", pytest.approx((100, 100, 100))),
        (2048, "rsa_crt", pytest.approx((130, 120, 150)))]
    wide = [each["core"] for each in found if each["key"] == 2048]
    # 149 signatures, 130, and 116.
    place, = (index for index, name in enumerate(wide) if name.startswith("here: rsa_crt"))
    assert wide[place - 1:place + 2:2] == ["Cryptech: modexpng, 32 multipliers",
                                          "Cryptech: board with modexpng"]
    assert "OpenTitan: OTBN" in wide[place:]


def test_no_signer_no_table():
    assert "signatures" not in {part.anchor for part in compose(tidy([row()])).first}


def test_a_claim_has_the_figures_of_the_measurements(document, measured):
    table = next(part.tables[0] for part in document.papers if part.anchor == "zhang_multi_step")
    points = medians(measured)
    same = points[(points["arch"] == "multi_step") & (points["width"] == 256)
                  & (points["target"] == "ecp5-85k") & (points["status"] == "ok")
                  & (points["param_steps"] == 16)]
    assert same["latency_us"].min() in [row[2] for row in table.rows]


@pytest.fixture(scope="module")
def page(document, tmp_path_factory):
    """The page as one text."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(document, path)
    return path.read_text()


def _data(page):
    """Return what the page's plots and tables are made of, and its points as dictionaries."""
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page,
                                re.DOTALL)[1])
    names = [column["name"] for column in data["columns"]]
    return data, [dict(zip(names, row, strict=True)) for row in data["rows"]]


def test_every_measured_point_is_in_the_page(page, document):
    _, found = _data(page)
    points = document.points
    assert len(found) == len(points)
    assert [each["lut"] for each in found] == points["lut"].tolist()
    assert [each["latency_us"] for each in found if each["latency_us"] is not None] == [
        pytest.approx(value, rel=1e-5) for value in points["latency_us"].dropna()]
    for each, params in zip(found, points["params"], strict=True):
        assert all(f"{name}={value}" in each["settings"] for name, value in params.items())


def test_points_on_a_front_are_marked(tmp_path):
    measured = [row(lut=lut, fmax=fmax, params={"word": index}, target=target)
                for target in ("ecp5-85k", "ice40-hx8k")
                for index, (lut, fmax) in enumerate(((10, 100.0), (20, 200.0), (30, 150.0)))]
    write_html(compose(tidy(measured)), tmp_path / "report.html")
    data, found = _data((tmp_path / "report.html").read_text())
    assert [each["lut"] for each in found if each["front"] == "yes"] == [10, 20, 10, 20]
    assert data["target"] == "ecp5-85k"


def test_the_target_with_most_points_is_first_without_the_usual_one(tmp_path):
    measured = [row(target=target, width=width) for target, width in (
        ("ecp5-25k", 64), ("ice40-hx8k", 64), ("ice40-hx8k", 256))]
    write_html(compose(tidy(measured)), tmp_path / "report.html")
    assert _data((tmp_path / "report.html").read_text())[0]["target"] == "ice40-hx8k"


def test_architectures_differ_in_colour_and_kinds_in_shape(page):
    data, _ = _data(page)
    colours = [data["colours"][arch] for arch in architectures()]
    assert len(set(colours)) == len(colours)
    assert len(set(data["shapes"].values())) == len(KINDS)


def test_points_of_earlier_versions_are_marked(tmp_path):
    made = compose(tidy([row()]))
    points = made.points.assign(earlier=True)
    write_html(dataclasses.replace(made, points=points), tmp_path / "report.html")
    assert _data((tmp_path / "report.html").read_text())[1][0]["core"].endswith(" †")


def test_the_page_is_small(page):
    assert len(page.encode()) < 3_000_000


def test_nothing_measured_is_one_line(tmp_path):
    with pytest.raises(ValueError, match="There are no measurements to report on"):
        compose(tidy([]))


def test_what_to_choose_comes_first(page, document):
    places = [page.index(f'<h2 id="{anchor}"') for anchor in (
        "choose", "compare", "points", "rsa", "signatures", "p256", document.papers[0].anchor,
        "growth", "measured")]
    assert places == sorted(places)
    assert "compare areas only within one FPGA family; do not compare frequencies" in \
        " ".join(page.split())


def test_markdown(tmp_path, saved_registry):
    result = CliRunner().invoke(cli, ["report", "--from", str(saved_registry), "--format",
                                      "markdown", "--output", str(tmp_path)])
    assert result.exit_code == 0, result.stderr
    text = (tmp_path / "report.md").read_text()
    for picture in re.findall(r"\]\((.*?\.svg)\)", text):
        assert (tmp_path / picture).is_file()
    assert "| Table 1: multi_step" in text
    assert text.index("## What to choose") < text.index("## RSA") < text.index("## All points of ")


class _Links(HTMLParser):
    """Collects what a page would load, and its anchors."""

    def __init__(self):
        super().__init__()
        self.loads, self.anchors, self.jumps, self.tags, self.handlers = [], set(), set(), [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.handlers += [name for name in found if name.startswith("on")]
        self.anchors.add(found.get("id"))
        if tag == "a":
            self.jumps.add(found["href"])
        elif "src" in found or tag == "link":
            self.loads.append(found.get("src") or found["href"])


def _parsed(page):
    links = _Links()
    links.feed(page)
    return links


def test_the_page_needs_nothing_else(page):
    links = _parsed(page)
    assert all(load.startswith("data:") for load in links.loads)
    assert links.jumps <= {f"#{anchor}" for anchor in links.anchors}


_SCRIPT = "mmm</script><script>document.title='PWNED'</script>"
_IMAGE = "<img src=x onerror=\"document.title='PWNED'\">"


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory):
    """Return the folder of a report on cores, targets and programs with names that are HTML."""
    folder = tmp_path_factory.mktemp("hostile")
    measured = [row(arch=arch, target=target, width=width, params={_IMAGE: _SCRIPT},
                    options={_SCRIPT: _IMAGE}) | {"versions": {_SCRIPT: _IMAGE}}
                for arch, target in ((_SCRIPT, _IMAGE), (_IMAGE, _SCRIPT), ("a|b`c`", "t|`u`"))
                for width in (64, 256, 1024)]
    save(measured, folder / "rows.jsonl")
    report = compose(load(folder / "rows.jsonl"))
    write_html(report, folder / "report.html")
    write_markdown(report, folder)
    return folder


def test_names_are_no_html_in_the_page(hostile_report, page):
    hostile = (hostile_report / "report.html").read_text()
    assert "PWNED" in hostile
    found = _parsed(hostile)
    assert not found.handlers
    assert found.tags.count("script") == _parsed(page).tags.count("script")
    assert _SCRIPT not in hostile
    assert _IMAGE not in hostile
    assert "carry no valid seal" in hostile


def test_names_are_no_html_in_markdown(hostile_report):
    text = (hostile_report / "report.md").read_text()
    assert "PWNED" in text
    assert not re.search(r"<(script|img|/script)", text)
    assert r"a\|b\`c\`" in text
    for table in re.findall(r"(?m)(?:^\|.*\n)+", text):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def _in_browser(page, folder, width, script):
    """Return what a script in a page returns, which is JSON, once the page has been drawn.

    ``choose(id, value)`` is as if a user had chosen a value. Nothing may go wrong in the page, and
    nothing may be asked of a network.
    """
    probe = """<script>
      window.trouble = [];
      addEventListener("error", event => trouble.push(event.message));
      addEventListener("unhandledrejection", event => trouble.push(String(event.reason)));
      console.error = (...words) => trouble.push(words.join(" "));
      const wait = time => new Promise(done => setTimeout(done, time));
      const all = selector => [...document.querySelectorAll(selector)];
      const choose = async (element, value) => {
        element.value = value;
        for (const name of ["input", "change"])
          element.dispatchEvent(new Event(name, {bubbles: true}));
        await wait(500);
      };
      const chosen = () => Number.parseInt(document.getElementById("count").textContent);
      setTimeout(async () => {
        const found = await (async () => {""" + script + """})().catch(String);
        const asked = performance.getEntriesByType("resource").map(entry => entry.name)
          .filter(name => !/^(data|blob):/.test(name));
        parent.postMessage(JSON.stringify({trouble, asked, found}), "*");
      }, 3000);
    </script>"""
    (folder / "probe.html").write_text(page.replace("<head>", f"<head>{probe}", 1))
    # A window cannot be as narrow as a frame.
    (folder / "frame.html").write_text(f"""<body><script>
      addEventListener("message", event => {{ document.body.dataset.found = event.data; }});
    </script><iframe src="probe.html" style="border: 0; width: {width}px; height: 1000px">""")
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
         "--virtual-time-budget=60000", "--dump-dom", f"file://{folder}/frame.html"],
        capture_output=True, text=True, timeout=180)
    text = re.search(r'data-found="(.*?)"', done.stdout)
    assert text, done.stderr[-2000:]
    answer = json.loads(html.unescape(text[1]))
    assert answer["trouble"] == []
    assert answer["asked"] == []
    return answer["found"]


in_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.mark.thorough
@in_browser
@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_cut_off_in_a_browser(width, tmp_path):
    write_html(compose(load(RESULTS / "rows.jsonl")), tmp_path / "report.html")
    found = _in_browser((tmp_path / "report.html").read_text(), tmp_path, width, """
        const boxes = all(".scroll, .dt-layout-table, .chart, figcaption");
        const cut = boxes.filter(box => box.scrollWidth > box.clientWidth + 1
                                        || box.getBoundingClientRect().right > innerWidth);
        return {cut: cut.map(box => box.outerHTML.slice(0, 300)), inner: innerWidth,
                wide: document.documentElement.scrollWidth, chosen: chosen(),
                marks: all("#plot .mark-symbol path").length,
                lines: all("#lines .mark-line path").length,
                rows: all("#choice tbody tr").length};
        """)
    assert found["inner"] == width
    assert found["cut"] == []
    assert found["wide"] <= found["inner"]
    assert found["marks"] > found["chosen"] > found["rows"] > 1
    assert found["lines"] == found["chosen"]


@pytest.mark.thorough
@in_browser
def test_the_page_is_filtered_in_a_browser(tmp_path):
    measured = [row(target=target, width=width, lut=lut, params={"word": lut})
                for target in ("ecp5-85k", "ice40-hx8k") for width in (64, 256)
                for lut in (100, 200, 300, 400)[:4 if target == "ecp5-85k" else 2]]
    measured.append(row(target="xc7", status="area_only", lut=100))
    write_html(compose(tidy(measured)), tmp_path / "report.html")
    found = _in_browser((tmp_path / "report.html").read_text(), tmp_path, 1280, """
        const [target, width] = ["target", "width"].map(id => document.getElementById(id));
        const counts = [[width.value, chosen()]];
        await choose(width, "");
        counts.push(["all widths", chosen()]);
        all(".dtsb-button")[0].click();
        await wait(500);
        const filter = all("select.dtsb-data")[0];
        await choose(filter, [...filter.options].find(each => each.text === "LUT").value);
        await choose(all("select.dtsb-condition")[0], "between");
        await choose(all("input.dtsb-value")[0], "150");
        await choose(all("input.dtsb-value")[1], "350");
        counts.push(["150 to 350 LUTs", chosen()]);
        const drawn = all("#plot path[aria-label]").map(each => each.getAttribute("aria-label"));
        await choose(target, "ice40-hx8k");
        counts.push(["other target", chosen()]);
        all(".dtsb-clearAll")[0].click();
        await choose(target, "xc7");
        counts.push(["no clock", chosen()]);
        return {counts, drawn, choice: all("#choice tbody")[0].textContent};
        """)
    assert found["counts"] == [["256", 4], ["all widths", 8], ["150 to 350 LUTs", 4],
                               ["other target", 2], ["no clock", 1]]
    assert "No chosen core has a clock frequency" in found["choice"]
    assert len(found["drawn"]) == 4
    assert any(re.match(r"alpha word=200.*, 64 bits: LUT 200, Latency, µs [0-9.]+", text)
               for text in found["drawn"])


@pytest.mark.thorough
@in_browser
def test_names_are_no_html_in_a_browser(hostile_report):
    page = (hostile_report / "report.html").read_text()
    found = _in_browser(page, hostile_report, 1280, """
        await choose(document.getElementById("width"), "");
        all(".dtsb-button, .buttons-colvis").forEach(each => each.click());
        await wait(500);
        all(".buttons-columnVisibility:not(.dt-button-active)").forEach(each => each.click());
        for (const {value} of [...all("select.dtsb-data")[0].options]) {
          await choose(all("select.dtsb-data")[0], value);
          for (const condition of all("select.dtsb-condition")) await choose(condition, "=");
        }
        for (const mark of all("#plot path[aria-label]"))
          mark.dispatchEvent(new PointerEvent("pointermove", {bubbles: true}));
        await wait(500);
        return {title: document.title, points: chosen(), images: document.images.length};
        """)
    assert found == {"title": "Montgomery multipliers, measured and published", "points": 3,
                     "images": 0}
