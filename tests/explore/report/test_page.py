"""The page of the report: its data, and what it does in a browser."""

import dataclasses
import html
import itertools
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from measurements import row

from explore.data.frame import load, tidy
from explore.plots._looks import look, outline
from explore.report import compose, write_html

RESULTS = Path(__file__).parents[3] / "results"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


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
    # Without the usual target the one with most points is first.
    for rows, front, first in ((measured, [10, 20, 10, 20], "ecp5-85k"),
                               (measured[2:], [30, 10, 20], "ecp5-85k"),
                               ([*measured[3:], row(target="ecp5-25k")], [640, 10, 20],
                                "ice40-hx8k")):
        write_html(compose(tidy(rows)), tmp_path / "report.html")
        data, found = _data((tmp_path / "report.html").read_text())
        assert sorted(each["lut"] for each in found if each["front"] == "yes") == sorted(front)
        assert data["target"] == first


def test_a_core_has_the_look_of_the_figures(page):
    data, points = _data(page)
    for name, (colour, path) in data["looks"].items():
        assert (colour, path) == (look(name).colour, outline(look(name).mark))
    assert {point["name"] for point in points} <= data["looks"].keys()
    assert len({tuple(look) for look in data["looks"].values()}) == len(data["looks"])
    shown = re.findall(r'--colour:(#\w+)"[^>]*><path d="([^"]*)"/></svg>(?:here: )?([\w.]+)', page)
    known = [each for each in shown if each[2] in data["looks"]]
    assert len(known) > 50
    assert all(data["looks"][name] == [colour, path] for colour, path, name in known)


@pytest.mark.parametrize(("kind", "width", "anchor"), [
    ("rsa_crt", 2048, "cryptech_modexpng"), ("multiplier", 256, "open_cores"),
    ("scalar_multiplication", 256, "curve_engines")])
def test_systems_of_others_are_there_for_what_was_measured(kind, width, anchor):
    document = compose(tidy([row("wide", width) | {"kind": kind}]))
    assert anchor in {part.anchor for part in document.papers}


def test_points_of_earlier_versions_are_marked(tmp_path):
    made = compose(tidy([row()]))
    points = made.points.assign(earlier=True)
    write_html(dataclasses.replace(made, points=points), tmp_path / "report.html")
    assert _data((tmp_path / "report.html").read_text())[1][0]["core"].endswith(" †")


def test_what_to_choose_comes_first(page, document):
    places = [page.index(f'<h2 id="{anchor}"') for anchor in (
        "choose", "compare", "points", "rsa", "p256", document.papers[0].anchor,
        "growth", "measured")]
    assert places == sorted(places)
    assert "compare areas only within one FPGA family; do not compare frequencies" in \
        " ".join(page.split())


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


def test_names_are_no_html_in_the_page(hostile_report, page):
    hostile = (hostile_report / "report.html").read_text()
    assert "PWNED" in hostile
    found = _parsed(hostile)
    assert not found.handlers
    assert found.tags.count("script") == _parsed(page).tags.count("script")
    assert "<script>document.title" not in hostile
    assert "img" not in found.tags
    assert "carry no valid seal" in hostile


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
        // The frame is laid out after its scripts have begun. While time is virtual, the page may
        // not hear of it by itself.
        while (innerWidth !== """ + str(width) + """) await wait(100);
        dispatchEvent(new Event("resize"));
        await wait(500);
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


#: Looks for what is cut off, and for texts of the axes that are on each other, on any two axes.
CUT_OFF = """
        const boxes = all(".scroll, .dt-layout-table, .dt-layout-cell, .chart, figcaption, td, th");
        const cut = boxes.filter(box => box.scrollWidth > box.clientWidth + 1
                                        || box.getBoundingClientRect().right > innerWidth);
        const inPlot = [];
        for (const [x, y] of [["lut", "latency_us"], ["dsp", "cycles_compute"],
                              ["fmax_usable_mhz", "throughput_mbps"]])
          for (const logarithmic of [true, false]) {
            document.getElementById("logarithmic").checked = logarithmic;
            await choose(document.getElementById("x"), x);
            await choose(document.getElementById("y"), y);
            const box = text => {
              const {left, right, top, bottom} = text.getBoundingClientRect();
              return [text.textContent, left, right, top, bottom];
            };
            inPlot.push(all("#plot .role-axis").map(axis => [...axis.querySelectorAll("text")]
              .filter(text => text.textContent && getComputedStyle(text).opacity !== "0").map(box))
              .filter(axis => axis.length));
          }
        return {cut: cut.map(box => box.outerHTML.slice(0, 300)), inner: innerWidth, inPlot,
                wide: document.documentElement.scrollWidth, chosen: chosen(),
                marks: all("#plot .mark-symbol path").length,
                lines: all("#lines .mark-line path").length,
                rows: all("#choice tbody tr").length};
        """


@pytest.mark.thorough
@in_browser
@pytest.mark.parametrize("few", [False, True])
def test_nothing_is_cut_off_in_a_browser(few, tmp_path):
    measured = tidy([row(width=16, lut=449), row("beta", 16, lut=460, fmax=199.0)]) if few else \
        load(RESULTS / "rows.jsonl")
    write_html(compose(measured), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    for width in (400, 900, 1280):
        found = _in_browser(page, tmp_path, width, CUT_OFF)
        assert found["inner"] == width
        assert found["cut"] == []
        assert found["wide"] <= found["inner"]
        assert found["marks"] > found["chosen"] > found["rows"] > (0 if few else 1)
        assert found["lines"] == found["chosen"]
        assert len(found["inPlot"]) == 6
        for axes in found["inPlot"]:
            assert len(axes) == 2
            for axis in axes:  # the numbers and the title
                assert len(axis) >= 3
            for one, other in itertools.combinations([box for axis in axes for box in axis], 2):
                assert (one[2] <= other[1] or other[2] <= one[1]
                        or one[4] <= other[3] or other[4] <= one[3]), (one, other)


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
        const nameless = all("select, input, button").filter(each => !each.ariaLabel
          && !each.labels?.length && !each.title
          && !(each.localName === "button" && each.innerText));
        const heads = all("#all thead th, #choice thead th");
        const keyless = heads.filter(each => each.querySelector("[tabindex='0']") === null
                                     && each.tabIndex !== 0);
        const drawn = all("#plot path[aria-label]").map(each => each.getAttribute("aria-label"));
        await choose(target, "ice40-hx8k");
        counts.push(["other target", chosen()]);
        all(".dtsb-clearAll")[0].click();
        await choose(target, "xc7");
        counts.push(["no clock", chosen()]);
        return {nameless: nameless.map(each => each.outerHTML), drawn, counts,
                heads: heads.length, keyless: keyless.length,
                choice: all("#choice tbody")[0].textContent};
        """)
    assert found["counts"] == [["256", 4], ["all widths", 8], ["150 to 350 LUTs", 4],
                               ["other target", 2], ["no clock", 1]]
    assert "No chosen core has a clock frequency" in found["choice"]
    assert found["nameless"] == []
    assert found["heads"] > found["keyless"] == 0
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
