"""Files of plots: of whatever was measured, in every format, the same bytes each time."""

import itertools
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
from figures import fit_for
from matplotlib.figure import Figure
from measurements import row, rows

from explore.data.frame import tidy
from explore.plots import _drawing as plot

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
    with pytest.raises(ValueError, match=r"^Unknown plot format 'gif'; known are svg, png, pdf"):
        plot.write(["lut_width"], tidy(rows()), tmp_path / "out", ["gif"])
    assert not (tmp_path / "out").exists()


def test_a_failed_write_leaves_the_old_figure(tmp_path, monkeypatch):
    (path,) = plot.write(["lut_width"], tidy(rows()), tmp_path, ["svg"])
    before = path.read_bytes()

    def fail(self, target, **options):
        target.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(OSError, match="No space left"):
        plot.write(["lut_width"], tidy([row()]), tmp_path, ["svg"])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.sample(6)
# Formats take turns, so that each plot and all of what is odd is written in both.
@pytest.mark.parametrize(("name", "odd", "format"), [
    (name, odd, ("svg", "png")[turn % 2])
    for turn, (name, odd) in enumerate(itertools.product(plot.plots(), ODD))])
def test_odd_measurements_are_drawn(name, odd, format, tmp_path):
    path, = plot.write([name], tidy(fit_for(name, ODD[odd])), tmp_path, [format])
    assert path.name == f"{name}.{format}"
    assert path.stat().st_size > 1000
