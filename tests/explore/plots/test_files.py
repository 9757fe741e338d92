"""Plots as files: texts that have room, looks of cores, the same bytes each time."""

import itertools
import random
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from figures import fit_for, series_of
from matplotlib.text import Text
from measurements import row, rows

from explore.data.frame import load, tidy
from explore.plots import _drawing as plot
from explore.plots._looks import look
from explore.points.rivals import rivals
from montgomery import KINDS, architectures

SEED = random.SystemRandom().randrange(10 ** 6)


@pytest.mark.parametrize(("low", "high"), [(900, 3200), (1000, 2000), (30, 50), (0.2, 0.7),
                                           (100, 50_000)])
def test_a_logarithmic_scale_has_four_ticks(low, high):
    figure = plot.draw("lut_width", tidy([row(lut=1000 * low, width=64),
                                          row(lut=1000 * high, width=256)]))
    axes = figure.axes[0]
    bottom, top = axes.get_ylim()
    ticks = [tick for tick in axes.yaxis.get_majorticklocs() if bottom <= tick <= top]
    assert len(ticks) >= 4


def test_a_legend_is_within_its_figure():
    """And leaves as much of it to the panels as a short one does."""
    heights = []
    for count in (2, 14):
        measured = [row("alpha", lut=index + 10, params={"what_it_is_called": f"v{'x' * index}"})
                    for index in range(count)]
        figure = plot.draw("latency_lut", tidy(measured))
        figure.draw_without_rendering()
        legend, whole = figure.legends[0].get_window_extent(), figure.bbox
        assert whole.x0 <= legend.x0 < legend.x1 <= whole.x1
        assert len(series_of(figure)) == count
        heights.append(figure.axes[0].get_window_extent().height)
    assert heights[1] > 0.9 * heights[0]


@pytest.mark.sample(12)
@pytest.mark.parametrize("count", [1, 2, 3, 40])
@pytest.mark.parametrize("name", plot.plots())
def test_numbers_and_texts_have_room(name, count):
    """At any width of the figure."""
    print("seed", SEED)
    rng = random.Random(f"{SEED} {name} {count}")
    measured = fit_for(name, [
        row(rng.choice(["alpha", "mmm_op_1d", "cox_rower"]),
            rng.choice([64, rng.randint(16, 4096)]), rng.choice(["ecp5-85k", "ice40-hx8k"]),
            fmax=rng.uniform(20, 300),
            lut=round(10 ** rng.uniform(0, 5)) + 1, params={"word": rng.randint(1, 3)})
        | {"dsp": rng.randint(0, 1)} for _ in range(count)])
    if plot.plots()[name].over_width or name == "latency_lut":
        measured.append(measured[0] | {"width": rng.choice([128, 256, 1024])})
    figure = plot.draw(name, tidy(measured))
    for inches in (figure.get_figwidth(), 9, 4):
        figure.set_figwidth(inches)
        figure.draw_without_rendering()
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                low, high = sorted(axis.get_view_interval())
                boxes = [text.get_window_extent() for tick, text in zip(
                    axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
                    if low <= tick <= high and text.get_text() and text.get_visible()]
                assert len(boxes) >= 2, (inches, axis.axis_name)
                _apart(boxes)
            texts = [text for text in axes.texts if text.get_visible()]
            boxes = [text.get_window_extent() for text in texts]
            _apart(boxes)
            for line in axes.lines:
                for xy in axes.transData.transform(line.get_xydata()):
                    assert line.get_marker() == "None" or not any(
                        box.contains(*xy) for box in boxes)


def _apart(boxes):
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other), (one, other)


@pytest.mark.parametrize("name", ["$x^2$", "$\\frac", "_hidden", "a\\b{", "\U0001F600",
                                  "</svg>-->"])
def test_names_are_drawn_as_they_are(name, tmp_path):
    measured = tidy([row(arch=arch, target=name, width=width) for arch in (name, "other")
                     for width in (32, 64)])
    for which in ("lut_width", "latency_lut", "fmax_width"):
        figure = plot.draw(which, measured)
        labels = [text.strip() for text in series_of(figure)]
        assert sorted(labels) == sorted([name, "other"])
        named = [text for text in figure.findobj(Text) if name in text.get_text()]
        assert len(named) >= 2
        assert not any(text.get_parse_math() for text in named)
    path, = plot.write(["lut_width"], measured, tmp_path, ["svg"])
    ElementTree.parse(path)


REDRAW = """
import sys
from pathlib import Path
from measurements import rows
from explore.plots import _drawing as plot
from explore.data.frame import tidy
plot.write(["fmax_width", "latency_lut"], tidy(rows()), Path(sys.argv[1]))
"""
ODD = {
    "point": [row()],
    "failure": [row(), row(width=128, status="no_fit")],
    "widths": [row(width=width, seed=seed) for width in range(16, 200, 8) for seed in (1, 2)],
    "targets": [row(target=f"target-{number}") for number in range(5)],
    "architectures": [row(arch=f"core_{number}") for number in range(15)]}


@pytest.mark.thorough
def test_files_are_the_same_bytes_from_another_process(tmp_path):
    plot.write(["fmax_width", "latency_lut"], tidy(rows()), tmp_path / "a")
    helpers, root = Path(__file__).parents[1] / "helpers", Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", REDRAW, tmp_path / "b"], check=True,
                   env={"PYTHONPATH": f"{helpers}:{root}", "PYTHONHASHSEED": "7",
                        "HOME": str(tmp_path), "MPLCONFIGDIR": str(tmp_path / "mpl")})
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert len(names) == 4
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_users_own_settings_change_nothing(tmp_path):
    (path,) = plot.write(["lut_width"], tidy(rows()), tmp_path, ["svg"])
    before = path.read_bytes()
    with matplotlib.rc_context({"xtick.direction": "in", "savefig.facecolor": "red",
                                "svg.hashsalt": "other"}):
        plot.write(["lut_width"], tidy(rows()), tmp_path, ["svg"])
    assert path.read_bytes() == before


def test_nothing_measured_writes_nothing(tmp_path):
    with pytest.raises(ValueError, match=r"^Plot lut_width needs a measured point, but none of 1 "):
        plot.write(["lut_width"], tidy([row(status="no_fit")]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.sample(6)
# Formats take turns, so that each plot and all of what is odd is written in both.
@pytest.mark.parametrize(("name", "odd", "format"), [
    (name, odd, ("svg", "png")[turn % 2])
    for turn, (name, odd) in enumerate(itertools.product(plot.plots(), ODD))])
def test_odd_measurements_are_drawn(name, odd, format, tmp_path):
    path, = plot.write([name], tidy(fit_for(name, ODD[odd])), tmp_path, [format])
    assert path.name == f"{name}.{format}"
    assert path.stat().st_size > 1000


@pytest.mark.real_cores
def test_no_two_cores_of_the_package_look_alike():
    names = [kind.full_name(name) for kind in KINDS.values() for name in kind.cores()]
    names += [rival.name for rival in rivals()]
    assert len({look(name) for name in names}) == len(names)
    multipliers = [look(name) for name in architectures()]
    for part in zip(*multipliers, strict=True):
        assert len(set(part)) == len(multipliers)
    own = {look(f"core_{number}") for number in range(50)}
    assert own.isdisjoint(map(look, names))
    assert len(own) > 25


@pytest.mark.real_cores
@pytest.mark.parametrize("name", ["latency_lut", "lut_width", "fmax_width", "throughput_lut"])
def test_a_core_looks_the_same_whoever_is_beside_it(name, saved_registry):
    rows = load(saved_registry)
    rows = rows[rows["target"].isin(["ecp5-85k", "ice40-hx8k"]) & (rows["kind"] == "multiplier")]
    some = ["mmm_cs_1d", "rival_femul", "single_dsp"]
    for beside in ([], ["mmm_op_1d", "wide"], [*architectures()], ["rival_fios", "mmm_op_2d"]):
        here = rows[rows["arch"].isin([*some, *beside])]
        for chosen in (here, here[here["width"] == 256], here[here["target"] == "ecp5-85k"]):
            found = {}
            for line in plot.draw(name, chosen).legends[0].get_lines():
                words = line.get_label().split()
                if {words[0], *words[1:2]} & {*some, *beside}:
                    found.setdefault(words[0], set()).add((line.get_color(), line.get_marker()))
            assert found == {core: {tuple(look(core))} for core in found}
            assert len(found) >= 2


@pytest.mark.real_cores
@pytest.mark.parametrize(("width", "said"), [
    (256, "in its paper, own silicon"), (64, "Papers of these cores have LUTs and a time at"),
    (None, "in its paper, own silicon")])
@pytest.mark.parametrize("targets", [["ecp5-85k"], ["ecp5-85k", "ice40-hx8k"]])
def test_papers_are_there_or_a_note_is(width, said, targets, saved_registry):
    rows = load(saved_registry)
    rows = rows[rows["target"].isin(targets) & (rows["kind"] == "multiplier")]
    figure = plot.draw("latency_lut", rows if width is None else rows[rows["width"] == width])
    legend = figure.legends[0]
    found = [text.get_text() for text in legend.get_texts()]
    assert any(said in text for text in [*found, legend.get_title().get_text()])
    names = {text.get_text() for axes in figure.axes for text in axes.texts if text.get_visible()}
    assert ("core of others" in found) == (width != 64)
    assert width == 64 or "FIOS_DSP_MM" in names or width is None
    stars = {line.get_color() for axes in figure.axes for line in axes.lines
             if line.get_marker() == "*"}
    assert (look("multi_step").colour in stars) == (width != 64)
