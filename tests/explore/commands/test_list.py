import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_list_names_everything(run):
    document = json.loads(run("list", "--json").stdout)
    assert {"architectures", "exponentiators", "targets", "boards", "presets", "plots",
            "table_formats"} <= set(document)
    toy = document["architectures"]["toy"]
    assert toy["parameters"]["style"] == {
        "type": "str", "default": "plain", "required": False, "minimum": None, "maximum": None,
        "choices": ["plain", "fancy"], "help": "nothing but a name"}
    assert toy["parameters"]["width"]["required"]
    assert document["targets"]["ecp5-85k"]["clock_limit_mhz"] == 257
    assert document["targets"]["ecp5-85k"]["options"]["placer_weight"]["choices"]
    xc7 = document["targets"]["xc7"]
    assert (xc7["placer"], xc7["clock_limit_mhz"], xc7["lut_name"]) == (None, None, "LUT6")
    short = run("list").stdout
    assert short.count("\n") <= 76
    for group in ("architectures", "targets", "presets", "plots", "table_formats", "plot_formats"):
        full = run("list", group).stdout
        for name in document[group]:
            assert name in short
            assert name in full
    assert "icebreaker" in short
    # Boards of which nothing can be built are listed with the reason.
    assert "tang_mega_138k_pro_dock" in run("list", "boards").stdout
    for column in document["columns"]:
        assert column in run("list", "columns").stdout


def test_list_one_group(run):
    assert list(json.loads(run("list", "--json", "plots").stdout)) == ["plots"]
    assert run("list", "exponentiators").stdout == "Exponentiators\n  none\n"
    assert run("list", "rsa_crt").stdout == "Cores for RSA with CRT\n  none\n"


def test_list_one_name(run):
    shown = run("list", "toy", "xc7").stdout
    for text in ("style", "plain | fancy", "nothing but a name", "Xilinx 7 series", "widelut"):
        assert text in shown
    for other in ("ballasted", "ecp5", "wrong:"):
        assert other not in shown
    document = json.loads(run("list", "toy", "presets", "--json").stdout)
    assert list(document["architectures"]) == ["toy"]
    assert list(document) == ["architectures", "presets"]


def test_a_core_of_any_kind_is_found_by_its_full_name(run, registered):
    registered["exponentiator"] = {"toy": registered["multiplier"]["toy"]}
    assert list(json.loads(run("list", "exponentiation.toy", "--json").stdout)) == [
        "exponentiators"]
    assert list(json.loads(run("list", "toy", "--json").stdout)) == [
        "architectures", "exponentiators"]


def test_each_option_and_each_limit_of_targets_is_told_once(run):
    shown = run("list", "targets").stdout
    assert shown.count("weight of timing against wire length") == 1
    assert "          default 30 on ecp5\n" in shown
    assert "ecp5-25k, ecp5-45k, ecp5-85k: FPGA-DS-02012" in shown
    assert "ice40-up5k: FPGA-DS-02008" in shown
    alone = run("list", "ecp5-85k").stdout
    assert "          default 30 on ecp5\n" in alone
    assert "ice40" not in alone


def _listing(folder, *arguments):
    """Return what a copy of the program lists, and whether it imported the cores for that."""
    code = ("import atexit, sys\n"
            "atexit.register(lambda: print('amaranth' in sys.modules, file=sys.stderr))\n"
            "from explore.cli import cli; cli()")
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1",
                   "XDG_CACHE_HOME": str(folder.parent / "cache")}
    done = subprocess.run([sys.executable, "-P", "-c", code, "list", *arguments], cwd=folder,
                          env=environment, check=True, capture_output=True, text=True)
    return done.stdout, done.stderr == "True\n"


def test_names_are_remembered_until_a_file_changes(tmp_path):
    folder = tmp_path / "program"
    for package in ("boards", "explore", "montgomery"):
        shutil.copytree(ROOT / package, folder / package,
                        ignore=shutil.ignore_patterns("__pycache__"))
    first, imported = _listing(folder)
    assert imported
    assert _listing(folder) == (first, False)
    shutil.copy(ROOT / "montgomery" / "_example.py", folder / "montgomery" / "newcomer.py")
    table = folder / "montgomery" / "registry.py"
    table.write_text(table.read_text().replace('"multiplier": (', '"multiplier": ("newcomer", '))
    second, imported = _listing(folder)
    assert imported
    assert "newcomer" in second
    assert _listing(folder) == (second, False)
