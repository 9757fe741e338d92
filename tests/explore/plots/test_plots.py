import sys

import pytest
from figures import fit_for, panel_texts, series_of
from measurements import row, rows

from explore import plots
from explore.data.columns import measured_names
from explore.data.frame import load, medians, tidy
from explore.data.labels import labels
from explore.plots import _drawing as plot
from explore.plots.latency_lut import pareto_front

#: Plots with one panel per target.
PER_TARGET = [name for name in plot.plots() if name not in (
    "growth", "radix", "scalar_multiplications_lut", "signatures_lut", "fmax_parameter",
    "lut_parameter")]


@pytest.mark.parametrize("name", PER_TARGET)
def test_one_panel_a_target_and_one_legend_entry_a_series(name):
    figure = plot.draw(name, tidy(fit_for(name, rows())))
    assert panel_texts(figure) == ["ecp5-85k", "ice40-hx8k"]
    assert series_of(figure) == ["alpha style=fancy", "alpha style=plain", "beta"]
    assert all(axes.get_xlabel() for axes in figure.axes)
    assert figure.axes[0].get_ylabel()


@pytest.mark.parametrize("name", ["fmax_parameter", "lut_parameter"])
def test_each_parameter_of_a_design_has_a_panel_a_target(name):
    measured = [row(target=target, params={"depth": depth, "banks": banks}) | {"kind": "design"}
                for target in ("ecp5-85k", "ice40-hx8k") for depth in (8, 64) for banks in (1, 2)]
    figure = plot.draw(name, tidy(measured))
    assert [axes.get_xlabel() for axes in figure.axes] == ["Banks", "Banks", "Depth", "Depth"]
    assert panel_texts(figure) == ["ecp5-85k", "ice40-hx8k"] * 2
    # A line for each value of the other parameter.
    assert series_of(figure) == [f"design.alpha {name}={value}" for name, values in (
        ("banks", (1, 2)), ("depth", (64, 8))) for value in values]


def test_cores_from_outside_are_marked():
    measured = [row(), row(arch="theirs") | {"versions": {"origin": "https://example.org"}}]
    figure = plot.draw("lut_width", tidy(measured))
    assert series_of(figure) == ["alpha", "theirs ‡", "‡ not of this package"]


EVERYWHERE = {"fmax_width", "latency_lut", "lut_width", "throughput_lut"}
STEPS = [row(), row("beta", params={"steps": 4})]


@pytest.mark.parametrize(("measured", "names"), [
    ([], set()), (STEPS, EVERYWHERE), ([row() | dict.fromkeys(measured_names())], set()),
    ([row(), row("beta", params={"steps": 4}, status="no_fit")], EVERYWHERE),
    ([*STEPS, row("beta", params={"steps": 8})], EVERYWHERE | {"radix"}),
    ([row(), row(width=128), row("beta", 256)], EVERYWHERE),
    ([row(), row(width=128), row(width=256)], EVERYWHERE | {"growth"}),
    # A design without a width.
    ([row(width=0, lut=100) | {"latency_us": 1.0}], {"latency_lut"})])
def test_a_plot_needs_what_it_shows(measured, names):
    """Such as two values of a parameter, or three widths of a core."""
    assert plot.plots_of(tidy(measured)) == sorted(names)


def drawn(axes):
    return [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in axes.lines]


def test_radices_have_a_line_for_each_width():
    figure = plot.draw("radix", tidy([
        row("beta", width, lut=width * steps, fmax=100.0, params={"steps": steps})
        for width in (64, 128) for steps in (1, 2, 4)]))
    latency, area = figure.axes
    assert [x for x, _ in drawn(latency)] == [[1, 2, 4], [1, 2, 4]]
    assert drawn(area) == [([1, 2, 4], [64, 128, 256]), ([1, 2, 4], [128, 256, 512])]
    assert [text.get_text() for text in area.texts] == ["64", "128"]


def test_the_paper_stands_beside_its_own_radix(saved_registry):
    rows = load(saved_registry)
    figure = plot.draw("radix", rows[rows["arch"].isin(["multi_step", "dsp_systolic"])])
    stars = [line.get_xydata().tolist() for axes in figure.axes for line in axes.lines
             if line.get_marker() == "*"]
    assert [[16, 0.208]] in stars
    assert [[16, 17161]] in stars


def test_growth_has_the_power_of_the_width():
    figure = plot.draw("growth", tidy([row(width=width, lut=width ** 2 / 8, fmax=100.0)
                                       for width in (64, 128, 256)]))
    area = figure.axes[0]
    assert drawn(area) == [([64, 128, 256], [512, 2048, 8192])]
    assert series_of(figure) == ["alpha: 2.00, 1.00"]


def test_signatures_of_both_kinds_stand_beside_those_of_others(saved_registry):
    rows = load(saved_registry)
    chosen, left_out = plot.of_one_kind(rows, ["signatures_lut"])
    assert left_out == []
    figure = plot.draw("signatures_lut", chosen)
    assert {series.partition(".")[0] for series in series_of(figure)} >= {
        "exponentiation", "rsa_crt"}
    names = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert "OTBN" in names


def test_scalar_multiplications_stand_beside_those_of_others():
    measured = [row("wide", 256, seed=seed, lut=6000, fmax=200.0) | {
        "kind": "scalar_multiplication", "throughput_mbps": 2.0,
        "throughput_pipelined_mbps": None} for seed in (1, 2)]
    chosen, left_out = plot.of_one_kind(tidy([*measured, row()]), ["scalar_multiplications_lut"])
    assert left_out == []
    figure = plot.draw("scalar_multiplications_lut", chosen)
    assert panel_texts(figure) == ["ecp5-85k, 256 bits"]
    assert series_of(figure) == ["scalar_multiplication.wide"]
    here, *others = (list(line.get_ydata()) for line in figure.axes[0].lines)
    assert here == [pytest.approx(2e6 / 256)]
    assert {round(rate) for rate, _ in others} >= {7194, 149}  # 139 µs, and 670,089 clocks


def test_a_line_joins_points_of_other_constraints_with_the_range_of_seeds():
    figure = plot.draw("fmax_constraint", tidy([
        row(fmax=mhz / 2 + seed, seed=seed, options={"weight": 10, "constraint_mhz": mhz})
        | {"constraint_mhz": float(mhz)} for mhz in (100, 300, 200) for seed in (1, 2, 3)]))
    (axes,) = figure.axes
    met, line = axes.lines[0], axes.containers[0].lines[0]
    assert met.get_xdata().tolist() == met.get_ydata().tolist() == [100, 300]
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([100, 200, 300],
                                                                      [52, 102, 152])
    bars = axes.containers[0].lines[2][0].get_segments()
    assert [bar[:, 1].tolist() for bar in bars] == [[51, 53], [101, 103], [151, 153]]


@pytest.mark.parametrize("name", [name for name, each in plot.plots().items() if each.column])
def test_a_plot_of_a_parameter_shows_only_cores_that_have_it(name, tmp_path):
    prefix, _, column = plot.plots()[name].column.partition("_")
    with pytest.raises(ValueError, match=rf"^Plot {name} needs a measured point of a core with "
                                         rf"{column}, but none of 1 rows is one; look at"):
        plot.write([name], tidy([row()]), tmp_path)
    both = [row(), *(row("beta", **{f"{prefix}s": {column: value}}) for value in (2, 4))]
    assert series_of(plot.draw(name, tidy(both))) == ["beta"]


def fronts(axes):
    return [line.get_xdata().tolist() for line in axes.lines if line.get_color() == "0.6"]


def test_one_target_with_a_few_widths_has_a_panel_per_width():
    measured = [row(arch, width, lut=lut) for width in (64, 256)
                for arch, lut in (("alpha", 100), ("beta", 200))]
    figure = plot.draw("latency_lut", tidy(measured))
    assert panel_texts(figure) == ["ecp5-85k, 64 bits", "ecp5-85k, 256 bits"]
    assert [fronts(axes) for axes in figure.axes] == [[[100]], [[100]]]
    assert "Pareto front" in [text.get_text() for text in figure.legends[0].get_texts()]
    many = plot.draw("latency_lut", tidy([row(width=width) for width in range(32, 128, 8)]))
    assert panel_texts(many) == ["ecp5-85k"]


def test_a_new_module_is_a_new_plot(tmp_path, monkeypatch):
    (tmp_path / "extra.py").write_text(
        "from explore.plots import Plot\n"
        "PLOTS = {'extra': Plot(summary='one more', draw=lambda points: points)}\n")
    monkeypatch.setattr(plots, "__path__", [*plots.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "explore.plots.extra", raising=False)
    points = plot.draw("extra", tidy(rows()))
    assert set(points["label"]) == {"alpha style=fancy", "alpha style=plain", "beta"}
    monkeypatch.delitem(sys.modules, "explore.plots.extra")


def test_bars_go_from_the_lowest_to_the_highest_seed_below_the_limit():
    figure = plot.draw("fmax_width", tidy([row(seed=seed, fmax=fmax)
                                           for seed, fmax in enumerate((210, 190, 240), 1)]))
    (axes,) = figure.axes
    (container,) = axes.containers
    (segment,) = container.lines[2][0].get_segments()
    assert segment[:, 1].tolist() == [190, 240]
    assert container.lines[0].get_ydata().tolist() == [210]
    dotted = [line for line in axes.lines if line.get_linestyle() == ":"]
    assert [line.get_ydata()[0] for line in dotted] == [257]
    assert axes.get_ylim()[1] > 257


def test_throughput_of_a_core_that_overlaps_nothing_is_that_of_dependent_operations():
    alone = row(arch="old", fmax=100) | {"throughput_pipelined_mbps": None}
    figure = plot.draw("throughput_lut", tidy([alone, row(arch="new", lut=500, fmax=100)]))
    points = [xy for line in figure.axes[0].lines for xy in line.get_xydata().tolist()]
    assert points == [[500, 64 * 100 / 66], [640, 64 * 100 / 72]]


def test_pareto_front():
    points = medians(tidy([row(arch=name, lut=lut, fmax=fmax) for name, lut, fmax in (
        ("small", 100, 50), ("worse", 150, 40), ("middle", 200, 100), ("large", 400, 99),
        ("twin", 200, 100), ("fast", 500, 200))]))
    assert pareto_front(points)["arch"].tolist() == ["small", "middle", "fast"]


def test_kinds_of_a_core_are_told_apart():
    """They have no setting in common but by name."""
    measured = [row("gamma", params={"word": word}) | {"kind": kind} for kind, word in (
        ("multiplier", 8), ("multiplier", 16), ("exponentiator", 16), ("rsa_crt", 16))]
    assert labels(medians(tidy(measured))) == [
        "gamma word=8", "gamma word=16", "exponentiation.gamma", "rsa_crt.gamma"]
    for name in ("fmax_width", "latency_lut", "lut_width", "throughput_lut"):
        figure = plot.draw(name, tidy(measured))
        assert series_of(figure) == [
            "exponentiation.gamma", "gamma word=16", "gamma word=8", "rsa_crt.gamma"]


def test_what_no_core_asked_for_is_said():
    own = row("hers") | {"dsp": 1, "versions": {"origin": "hers.toml"}}
    title = plot.draw("latency_lut", tidy([own, row("single_dsp") | {"dsp": 1}])).legends[0]
    said = " ".join(title.get_title().get_text().split())
    assert "In hers, yosys put products into multiplier blocks" in said


def test_throughput_of_an_array_is_that_of_all_its_processors():
    measured = [{**row("alpha", 2048, params={"processors": count}), "throughput_mbps": rate}
                for count, rate in ((1, 4.0), (2, 3.5), (16, 3.0))]
    measured.append(row("beta"))
    figure = plot.draw("throughput_processors", tidy(measured))
    axes, = figure.axes
    line, theirs, cross = axes.lines
    assert list(line.get_xdata()) == [1, 2, 16]
    assert list(line.get_ydata()) == [4.0, 7.0, 48.0]
    # Table VII of Song et al.: 768 processors.
    rate = 5.41 * 2**20 / 1e6
    assert list(theirs.get_ydata()) == [rate / 768, rate]
    assert list(cross.get_xdata()) == [768]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["alpha"]


def test_points_without_a_figure_of_the_axes_are_left_out():
    without = row(arch="beta") | dict.fromkeys(measured_names())
    figure = plot.draw("latency_lut", tidy([row(), without]))
    assert series_of(figure) == ["alpha"]
    with pytest.raises(ValueError, match="needs a measured point, but none of 1 rows is one"):
        plot.draw("fmax_width", tidy([without]))
