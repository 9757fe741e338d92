"""The script of the SoC in docs: what it refuses, what its program is given, what is published."""

import contextlib
import importlib.util
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from montgomery import KINDS

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "soc"


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"soc_of_docs_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOC = loaded("soc")


def run(*words):
    return subprocess.run([sys.executable, FOLDER / "soc.py", *words], capture_output=True,
                          text=True, timeout=60)


@pytest.mark.parametrize(("words", "line"), [
    (["simulate", "sha"], "there is no core sha; take of rsa, p256, x25519, ecdsa"),
    (["simulate", "--operations", "0"], "--operations must be 1 or more, not 0")])
def test_what_cannot_be_is_refused_in_one_line(words, line, tmp_path):
    done = run(*words, "--output", str(tmp_path / "soc"))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"soc.py: error: {line}"
    assert not (tmp_path / "soc").exists()


@pytest.mark.parametrize(("command", "last"), [
    ("simulate", " verilator g++"),
    ("build", "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf")])
def test_what_is_missing_is_said_in_one_line(monkeypatch, command, last):
    found = {"there": True}
    monkeypatch.setattr(SOC.importlib.util, "find_spec", lambda name: found["there"] or None)
    monkeypatch.setattr(SOC.shutil, "which", lambda name: found["there"] or None)
    SOC.check(command)
    found["there"] = False
    with pytest.raises(SystemExit) as caught:
        SOC.check(command)
    said = caught.value.code
    assert "\n" not in said
    assert said.startswith(f"soc.py {command} needs more programs; install them by: pip install ")
    assert said.count("litex==2024.12") == 1
    assert "; apt-get install gcc-riscv64-unknown-elf" in said
    assert ("litex-boards" in said) == (command == "build")
    assert said.endswith(last)


def test_show_prints_what_the_page_says():
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        SOC.show(json.loads((FOLDER / "results.json").read_text()))
    assert shown.getvalue().strip()
    assert shown.getvalue() in (ROOT / "docs" / "systems.md").read_text()


# -- What the program is given.

def written(path, cores, count):
    """Return the arrays of the program's header, by their names."""
    loaded("inputs").write(path, cores, count)
    return {name: [bytes(map(int, row.split(","))) for row in re.findall(r"\{([\d,]+)\}", rows)]
            for name, rows in re.findall(r"uint8_t (\w+)\[\d+\]\[\d+\] = \{(.*)\};",
                                         path.read_text())}


def computed(kind, width, *numbers):
    return KINDS[kind].cores()["wide"](width=width).compute(*numbers)


def number(octets, order="big"):
    return int.from_bytes(octets, order)


def test_signatures_are_those_of_the_keys(tmp_path):
    arrays = written(tmp_path / "inputs.h", ["rsa"], 102)
    assert [len(arrays[f"rsa_{name}"]) for name in ("p", "dq", "message")] == [2, 2, 102]
    for index in range(102):
        p, q, dp = (number(arrays[f"rsa_{name}"][index // 100]) for name in ("p", "q", "dp"))
        message, signature = (number(arrays[f"rsa_{name}"][index])
                              for name in ("message", "signature"))
        assert pow(signature, 65537, p * q) == message
        assert pow(message, dp, p) == signature % p


def test_secrets_are_those_of_the_models(tmp_path):
    arrays = written(tmp_path / "inputs.h", ["p256", "x25519"], 4)
    for scalar, point, secret in zip(*(arrays[f"p256_{name}"] for name in (
            "scalar", "point", "secret")), strict=True):
        result = computed("scalar_multiplication", 256, number(scalar), number(point[:32]),
                          number(point[32:]))
        assert result % 2**256 == number(secret)  # the second coordinate is above
    for scalar, u, secret in zip(*(arrays[f"x25519_{name}"] for name in (
            "scalar", "u", "secret")), strict=True):
        assert computed("key_agreement", 255, *(
            number(octets, "little") for octets in (scalar, u))) == number(secret, "little")
    for name, edges in (("p256", (1, 2)), ("x25519", (0, 2**256 - 1))):
        scalars = [number(octets) for octets in arrays[f"{name}_scalar"]]
        assert tuple(scalars[:2]) == edges
        assert len({*scalars}) == 4


def test_signatures_on_p256_are_valid(tmp_path):
    arrays = written(tmp_path / "inputs.h", ["ecdsa"], 2)
    for numbers in zip(*(map(number, arrays[f"ecdsa_{name}"])
                         for name in ("digest", "r", "s", "x", "y")), strict=True):
        assert computed("ecdsa_verification", 256, *numbers) == 1
