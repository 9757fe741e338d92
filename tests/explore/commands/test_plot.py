import os
import subprocess
import sys
from pathlib import Path

from console import assert_refused
from measurements import row

from explore.data.frame import save
from explore.store import Store

ROOT = Path(__file__).parents[3]


def test_plot_prints_the_paths_it_wrote(run, saved, tmp_path):
    result = run("plot", "lut_width", "--from", saved, "--output", "deep/figures")
    assert result.stdout == "deep/figures/lut_width.svg\ndeep/figures/lut_width.png\n"
    assert (tmp_path / "deep/figures/lut_width.svg").exists()


def test_plots_of_a_store_leave_nothing_in_the_users_folders(tmp_path):
    with Store(tmp_path / "store") as store:
        store.remember_rows({"one": row()})
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-c", "from explore.cli import cli; cli()", "plot", "lut_width",
                    "--store", tmp_path / "store", "--output", tmp_path / "out"], check=True,
                   cwd=ROOT, env={"HOME": str(home), "PATH": os.environ["PATH"]},
                   stdout=subprocess.DEVNULL)
    assert list(home.iterdir()) == []
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_plot_of_failures_only(run, tmp_path):
    save([row(status="no_fit")], tmp_path / "rows.jsonl")
    assert_refused(run("plot", "--from", "rows.jsonl"), "needs a measured point")
