"""Which compiler and which Verilator there is, and what tells one from another."""

import pytest

from explore.errors import ToolMissing
from explore.tools import compiler as compilers
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator


def _program(path, *lines):
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return str(path)


def test_the_compiler_that_cxx_names(monkeypatch, tmp_path):
    path = _program(tmp_path / "my compiler", "echo mine 3.1", "echo more")
    monkeypatch.setenv("CXX", f"'{path}' -fsome-option")
    assert find_compiler() == compilers.Compiler(command=(path, "-fsome-option"),
                                                 version="mine 3.1")


@pytest.mark.parametrize(("variable", "name", "lines", "message"), [
    ("CXX", "missing", None, "which is not an executable; correct it"),
    ("CXX", "failing", ["echo no licence >&2", "exit 3"],
     "does not run as a compiler (no licence)"),
    ("CXX", "silent", ["exit 3"], "(it ended with status 3 and says nothing)"),
    ("CXX", "mute", ["exit 0"], "(it ended with status 0 and says nothing)"),
    ("VERILATOR", "missing", None, "which is not an executable; correct it"),
    ("VERILATOR", "other", ["echo GNU hello 3"], "(it says 'GNU hello 3')"),
    ("VERILATOR", "old", ["echo Verilator 4.038 2020-07-11"],
     "(Verilator 4.038 is older than Verilator 5)"),
    ("VERILATOR", "mute", ["exit 0"], "(it ended with status 0 and says nothing)"),
    ("VERILATOR", "homeless", ['[ "$1" = --getenv ] && echo /nowhere || echo Verilator 5.048'],
     "(/nowhere/include, where its runtime should be, has no verilated.cpp)"),
])
def test_a_program_that_a_variable_should_not_name(monkeypatch, tmp_path, variable, name, lines,
                                                   message):
    path = tmp_path / name
    if lines is not None:
        _program(path, *lines)
    monkeypatch.setenv(variable, str(path))
    with pytest.raises(ToolMissing) as caught:
        (find_compiler if variable == "CXX" else find_verilator)()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_usual_compilers_in_their_order(monkeypatch, tmp_path):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compilers.importlib.util, "find_spec", lambda name: None)
    assert find_compiler() is None
    found = []
    for name, lines in (("clang++", ["echo clang"]), ("g++", ["exit 1"]), ("g++", ["echo gcc"])):
        _program(tmp_path / name, *lines)
        compilers._usual.cache_clear()
        compilers._asked.cache_clear()
        found.append(find_compiler().version)
    # One that does not run is passed over.
    assert found == ["clang", "clang", "gcc"]
    compilers._usual.cache_clear()


def test_a_compiler_is_its_contents_options_and_version(monkeypatch, tmp_path):
    def identity(folder, *lines, options=""):
        (tmp_path / folder).mkdir(exist_ok=True)
        monkeypatch.setenv("CXX", f"{_program(tmp_path / folder / 'cxx', *lines)} {options}")
        compilers._asked.cache_clear()
        return find_compiler().identity

    first = identity("a", "echo mine 3.1")
    assert len(first) == 64
    assert identity("b", "echo mine 3.1") == first
    assert identity("a", "echo mine 3.2") != first
    assert identity("a", "echo mine 3.1 # else") != first
    assert identity("a", "echo mine 3.1", options="-O3") != first
    assert (compilers.Compiler(command=("/bin/sh",), version="1").identity
            != compilers.Compiler(command=("/bin/sh",), version="2").identity)


def test_a_compiler_that_is_a_package_is_its_version(monkeypatch):
    def zig(python):
        return compilers.Compiler(command=(python, "-m", "ziglang", "c++"), version="1").identity

    monkeypatch.setattr(compilers.importlib.metadata, "version", lambda name: f"{name} 1")
    first = zig("/one/python")
    assert zig("/other/python") == first
    monkeypatch.setattr(compilers.importlib.metadata, "version", lambda name: f"{name} 2")
    assert zig("/one/python") != first

