"""Texts of figures: there is room for them, and names are drawn as they are."""

import itertools
import random
from xml.etree import ElementTree

import pytest
from figures import fit_for, series_of
from matplotlib.text import Text
from measurements import row

from explore.data.frame import tidy
from explore.plots import _drawing as plot

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


def test_texts_lie_neither_on_points_nor_on_each_other():
    measured = [row(width=width, target=target, lut=lut, fmax=fmax) for target in ("one", "two")
                for width, lut, fmax in ((64, 1000, 64.0), (128, 1010, 127.0), (256, 990, 258.0),
                                         (512, 1200, 250.0), (1024, 1000, 250.0))]
    figure = plot.draw("latency_lut", tidy(measured))
    figure.draw_without_rendering()
    for axes in figure.axes:
        texts = [text.get_window_extent().shrunk(1, 0.6) for text in axes.texts]
        assert len(texts) >= 2
        dots = [axes.transData.transform(line.get_xydata()) for line in axes.lines
                if line.get_marker() != "None"]
        for place, box in enumerate(texts):
            assert not any(box.overlaps(other) for other in texts[:place])
            assert not any(box.contains(*xy) for points in dots for xy in points)


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
