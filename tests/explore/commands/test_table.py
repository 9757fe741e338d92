import os
import subprocess
import sys
from pathlib import Path

from console import assert_refused
from measurements import row, rows

from explore.data.frame import save
from explore.store import Store

ROOT = Path(__file__).parents[3]


def test_table_from_file_and_from_store_agree(run, saved, tmp_path):
    with Store(tmp_path / "store") as store:
        store.remember_rows({str(index): each for index, each in enumerate(rows())})
    shown = run("table", "--from", tmp_path / "store").stdout
    assert run("table", "--from", saved).stdout == shown
    assert "alpha" in run("table").stdout


def test_table_for_programs(run, saved):
    result = run("table", "--from", saved, "-a", "beta", "-n", "32-64", "-t", "ice40-hx8k",
                 "--format", "csv", "--columns", "lut,ff")
    assert (result.exit_code, result.stderr) == (0, "")
    settings = ('"{""word"": 16}",ice40-hx8k,'
                '"{""abc"": ""default"", ""placer_weight"": 10, ""weight"": 10}"')
    assert result.stdout == (
        "kind,arch,width,params,target,options,earlier,seeds,seeds_ok,status,lut,ff\n"
        f"multiplier,beta,32,{settings},False,3,3,ok,328,164\n"
        f"multiplier,beta,64,{settings},False,3,3,ok,616,308\n")


def test_rows_are_chosen_by_core_and_kind(run, tmp_path):
    save([row("alpha", lut=lut) | {"kind": kind} for kind, lut in (
        ("multiplier", 1), ("exponentiator", 2), ("rsa_crt", 3))], tmp_path / "kinds.jsonl")
    for name, luts in (("alpha", "321"), ("rsa_crt.alpha", "3"), ("exponentiation.alpha", "2"),
                       ("multiplier,rsa_crt", "13")):
        found = run("table", "--from", "kinds.jsonl", "-a", name, "--columns", "lut",
                    "--format", "csv").stdout.splitlines()
        assert sorted(line[-1] for line in found[1:]) == sorted(luts)
    assert_refused(run("table", "--from", "kinds.jsonl", "-a", "rsa_crt.alhpa"),
                   "Unknown measured architecture 'rsa_crt.alhpa'; did you mean "
                   "'rsa_crt.alpha'?")


def test_rows_are_chosen_by_a_parameter(run, tmp_path):
    save([row("alpha", lut=lut) | {"params": params} for lut, params in (
        (1, {"word": 8}), (2, {"word": 16, "curve": "P-256"}), (3, {"word": 32}))],
        tmp_path / "params.jsonl")

    def chosen(*arguments):
        return run("table", "--from", "params.jsonl", "--columns", "lut", "--format", "csv",
                   *arguments)

    for arguments, luts in ((["-p", "word=16,32"], "23"), (["-p", "curve=P-256"], "2"),
                            (["-p", "word=16", "-p", "curve=P-256"], "2")):
        assert [line[-1] for line in chosen(*arguments).stdout.splitlines()[1:]] == list(luts)
    assert_refused(chosen("-p", "word=9"),
                   "Unknown measured value of word '9'; known are 16, 32, 8")
    assert_refused(chosen("-p", "wird=8"),
                   "Unknown measured parameter 'wird'; did you mean 'word'?")


def test_the_table_is_as_wide_as_columns_says(run, saved, monkeypatch):
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = run("table", "--from", saved).stdout.splitlines()
        assert width - 12 < max(map(len, lines)) <= width


def test_closed_pipe_is_not_an_error(saved, tmp_path):
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    command = f"{sys.executable} -c 'from explore.cli import cli; cli()' table --from {saved}"
    done = subprocess.run(f"{command} seeds | true", shell=True, cwd=ROOT, env=environment,
                          stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr == ""
