"""Looks of cores, and what stands beside them, in plots of committed rows."""

import pytest

from explore.data.frame import load
from explore.plots import _drawing as plot
from explore.plots._looks import look
from explore.points.rivals import rivals
from montgomery import KINDS, architectures

pytestmark = pytest.mark.real_cores


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
