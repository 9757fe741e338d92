"""Cores for scalar multiplication, by commands."""

import json

import pytest
from console import assert_refused
from toy_points import CURVE, Points

pytestmark = pytest.mark.usefixtures("sketched")

POINTS = ("-a", "scalar_multiplication.points", "-n", "4")


@pytest.fixture(autouse=True)
def engines(registered, monkeypatch):
    registered["scalar_multiplication"] = {"points": Points}
    monkeypatch.setenv("CXX", "")


def _json(result, status=0):
    assert result.exit_code == status, result.stderr
    return json.loads(result.stdout)


def test_verify_runs_one_multiplication_or_many(run):
    one = run("verify", *POINTS, "--operands", "scalar=3,x=2,y=7")
    # 3 (2, 7) = (8, 3), as textbooks have it.
    assert "scalar * (x, y), from simulation and model: x 0x8, y 0x3" in one.stdout
    infinity = run("verify", *POINTS, "--operands", f"scalar={CURVE.n},x=2,y=7")
    assert "model: the point at infinity" in infinity.stdout
    report = _json(run("verify", *POINTS, "--json"))
    assert (report["kind"], report["constant_time"]) == ("scalar_multiplication", True)
    assert "scalar multiplications: 1\n" in run("verify", *POINTS, "--method", "full").stdout
    assert_refused(run("verify", *POINTS, "--operands", "scalar=3,x=2,y=6"),
                   "Operands x and y must be a point of F-11, but are not on the curve; give both "
                   "coordinates of one point")
    assert_refused(run("verify", *POINTS, "--method", "exhaustive"),
                   "Only a multiplier can be tried with all operands, not the core for scalar "
                   "multiplication points; take another --method")


def test_export_says_what_is_refused(run, tmp_path):
    files = _json(run("export", *POINTS, "--json"))["files"]
    text = (tmp_path / files["documentation"]).read_text()
    assert "| curve | y² = x³ + a x + b modulo p, with a = 0x1 and b = 0x6 |" in text
    assert "A result comes in 4 words of 2 bits: the first coordinate" in text
    assert "The hardware refuses operands that are no point of the curve." in text
    assert "does not check" not in text
    python = text.partition("```python\n")[2].partition("```")[0]
    names = {}
    exec(python, names)
    assert names["encode"](3, 2, 7) == Points().encode(3, 2, 7)
    assert names["point"](names["decode"]([0, 2, 3, 0])) == (8, 3)
    assert names["point"](0) is None
    with pytest.raises(ValueError, match=r"^The operands were no point$"):
        names["point"](names["decode"]([3, 3, 3, 3]))


def test_measurements_are_told_by_all_commands(run, fakes):
    row, = _json(run("sweep", *POINTS, "-t", "ecp5-85k", "--seeds", "1", "--json"))["rows"]
    assert (row["kind"], row["arch"], row["status"]) == ("scalar_multiplication", "points", "ok")
    asked = ("recommend", "-n", "4", "--kind", "scalar_multiplication", "--curve", "F-11")
    assert run("recommend", *asked[1:-2]).exit_code == 2  # a width names no curve
    best, = _json(run(*asked, "--reduced", "--json"))["best"]
    rate = row["fmax_usable_mhz"] * 1e6 / row["cycles_interval"]
    assert best["scalar_multiplications_per_s"] == pytest.approx(rate)
    assert best["result"] == "reduced"
    assert "for F-11 alone" in run(*asked).stdout
    assert "scalar_multiplication.points" in run("table").stdout
    drawn = run("plot", "scalar_multiplications_lut")
    assert "scalar_multiplications_lut.svg" in drawn.stdout
    assert run("report", "--format", "markdown").exit_code == 0
