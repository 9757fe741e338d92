"""``openssl speed``, by scripts that stand in for it, and by the program itself if it is there."""

import shutil

import pytest

from explore.tools import openssl
from explore.tools.openssl import host_speed, processor_name

#: What OpenSSL 3.0 says with -mr, of two lengths.
SPEED = """\
+DTP:1024:private:rsa:1
+R1:4974:1024:0.50
+DTP:1024:public:rsa:1
+R2:79687:1024:0.42
+R1:300:2048:0.20
+R2:79687:2048:0.42
+R1:none:4096:0.20
+R1:0:512:0.00
+F2:1:1024:12131.707317:189730.952381
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a function that puts a shell script in the place of openssl."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def program(script):
        path = tmp_path / "openssl"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return tmp_path

    return program


@pytest.mark.parametrize("stream", ["", ">&2"], ids=["stdout", "stderr"])
def test_private_operations_are_signatures(program, stream):
    folder = program(f"""echo "$@" >> {{folder}}/asked
if [ "$1" = version ]; then echo 'OpenSSL 3.9.1 27 Jan 2030 (Library: OpenSSL 3.9.1)'
else echo '{SPEED}' {stream}; fi""".replace("{folder}", '"${0%/*}"'))
    found = host_speed((1024, 2048, 4096), seconds=3)
    assert found.signatures_per_s == {1024: pytest.approx(9948), 2048: pytest.approx(1500)}
    assert (found.program, found.missing) == ("OpenSSL 3.9.1", "")
    assert found.processor == processor_name() != ""
    assert (folder / "asked").read_text().splitlines() == [
        "version", "speed -seconds 3 -mr rsa1024 rsa2048 rsa4096"]


@pytest.mark.parametrize(("script", "missing"), [
    (None, "there is no program openssl"),
    ("exit 1", "openssl speed -seconds -mr failed"),
    ("echo LibreSSL 4.0", "openssl speed named no RSA signatures"),
    ("echo '+R1:100:512:1.00'", "openssl speed named no RSA signatures"),
    ("while :; do :; done", "openssl speed did not end in time")])
def test_no_figures_are_told(program, monkeypatch, script, missing):
    if script is not None:
        program(script)
    if "end in time" in missing:
        monkeypatch.setattr(openssl, "_PATIENCE_S", 0.1)
    found = host_speed((1024,))
    assert (found.missing, found.signatures_per_s) == (missing, {})


@pytest.mark.parametrize(("text", "name"), [
    ("processor\t: 0\nmodel name\t: Some  Processor 9: fast\nmodel name\t: Another\n",
     "Some Processor 9: fast"),
    ("processor\t: 0\n", "of this machine")])
def test_the_processor_has_a_name(tmp_path, monkeypatch, text, name):
    (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(openssl, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(openssl.sys, "platform", "linux")
    monkeypatch.setattr(openssl.platform, "processor", lambda: "of this machine")
    assert processor_name() == name


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_the_program_itself():
    found = host_speed((1024,))
    if not found.missing:  # another project's openssl has no -mr
        assert found.signatures_per_s[1024] > 1
        assert "SSL" in found.program
