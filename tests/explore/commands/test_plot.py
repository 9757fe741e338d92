import os
import subprocess
import sys
from pathlib import Path

import pytest
from console import assert_refused
from measurements import row

from explore.data.frame import load, save
from explore.data.rows import sealed
from explore.plots import _drawing
from explore.store import Store
from montgomery import KINDS

ROOT = Path(__file__).parents[3]


def test_plot_prints_the_paths_it_wrote(run, saved, tmp_path):
    result = run("plot", "lut_width", "--from", saved, "--output", "deep/figures")
    assert result.stdout == "deep/figures/lut_width.svg\ndeep/figures/lut_width.png\n"
    assert (tmp_path / "deep/figures/lut_width.svg").exists()


def test_plots_of_a_store_leave_what_is_known_of_sources_alone_in_the_users_folders(tmp_path):
    with Store(tmp_path / "store") as store:
        store.remember_rows({"one": row()})
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-c", "from explore.cli import cli; cli()", "plot", "lut_width",
                    "--output", tmp_path / "out"], check=True, cwd=ROOT, env={
                        "HOME": str(home), "PATH": os.environ["PATH"],
                        "MONTGOMERY_STORE": str(tmp_path / "store")},
                   stdout=subprocess.DEVNULL)
    assert [str(path.relative_to(home)) for path in home.glob("*/*")] == [
        ".cache/montgomery-fingerprints"]
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_plot_of_failures_only(run, tmp_path):
    save([row(status="no_fit")], tmp_path / "rows.jsonl")
    assert_refused(run("plot", "--from", "rows.jsonl"), "needs a measured point")


def _kinds(*kinds, **changes):
    return [sealed(row(width=width) | {"kind": kind} | changes)
            for kind in kinds for width in (64, 128)]


@pytest.mark.parametrize(("kinds", "given", "shown", "others"), [
    (["exponentiator", "multiplier"], [], "multiplication", "exponentiator"),
    (["rsa_crt", "exponentiator"], [], "exponentiation", "rsa_crt"),
    (["hash", "multiplier", "rsa_crt"], [], "multiplication", "hash, rsa_crt"),
    (["exponentiator", "multiplier"], ["-a", "exponentiator"], "exponentiation", None),
    (["multiplier"], [], "multiplication", None)])
def test_a_plot_has_one_kind_of_core(run, tmp_path, monkeypatch, kinds, given, shown, others):
    drawn = {}
    monkeypatch.setattr(_drawing, "write", lambda names, rows, *_, **__: drawn.update(
        kinds=set(rows["kind"]), names=names) or [])
    save(_kinds(*kinds), tmp_path / "rows.jsonl")
    result = run("plot", "--from", "rows.jsonl", *given)
    assert {KINDS[kind].operation for kind in drawn["kinds"]} == {shown}
    assert (f"'montgomery plot -a KIND' shows others: {others}\n" in result.stderr) == bool(others)
    assert ("one kind" in result.stderr) == bool(others)


def test_a_named_plot_shows_a_kind_that_has_it(run, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(_drawing, "write", lambda names, rows, *_, **__: drawn.extend(
        set(rows["kind"])) or [])
    save([*_kinds("multiplier", latency_us=None), *_kinds("exponentiator")],
         tmp_path / "rows.jsonl")
    for name in ("latency_lut", "lut_width"):
        run("plot", name, "--from", "rows.jsonl")
    assert drawn == ["exponentiator", "multiplier"]


def test_plots_are_counted_while_they_are_drawn(saved, tmp_path):
    told = []
    _drawing.write(["lut_width", "fmax_width"], load(saved), tmp_path / "out",
                   progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
