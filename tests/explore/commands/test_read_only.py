"""What commands do with a store that this user cannot write, root or not."""

import ctypes
import json
import os

import pytest
from click.testing import CliRunner
from measurements import rows

from explore.cli import cli
from explore.store import Store

_CAP_DAC_OVERRIDE = 1
_CAPABILITY_VERSION_3 = 0x20080522


def _obey_permissions():
    """Have the system apply the modes of files to this process, which may be root's."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    # Effective, permitted and inheritable, of the capabilities to 31 and of the others.
    sets = (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "capget")
    for index in range(3):
        sets[index] &= ~(1 << _CAP_DAC_OVERRIDE)
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")


@pytest.fixture
def unwritable(tmp_path):
    """Return a function that runs a command in another process, on a store of which nothing can be
    written, and returns its exit status and what it said on stderr."""
    path = tmp_path / "store"
    with Store(path) as store:
        store.remember_rows({str(index): row for index, row in enumerate(rows())})
    modes = {each: each.stat().st_mode for each in (path, *path.rglob("*"))}
    for each, mode in modes.items():
        each.chmod(mode & ~0o222)

    def run(*arguments):
        reader, writer = os.pipe()
        process = os.fork()
        if not process:
            try:
                os.chdir(tmp_path)
                _obey_permissions()
                assert not os.access(path, os.W_OK)
                result = CliRunner().invoke(cli, arguments, env={"MONTGOMERY_STORE": "store"})
                os.write(writer, json.dumps([result.exit_code, result.stderr]).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as file:
            said = file.read()
        os.waitpid(process, 0)
        assert {each: each.stat().st_mode for each in (path, *path.rglob("*"))} == {
            each: mode & ~0o222 for each, mode in modes.items()}
        return json.loads(said)

    yield run
    for each, mode in modes.items():
        each.chmod(mode)


@pytest.mark.parametrize("command", [
    "table", "recommend --bits 64", "store info"])
def test_what_is_read(unwritable, fakes, command):
    status, said = unwritable(*command.split())
    assert status == 2
    assert said.endswith("make it and its folder writable, or copy the folder and name the copy "
                         "with --store\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize("command", [
    "sweep -a toy -n 8 -t ice40-hx8k", "sweep -a toy -n 8 -t ice40-hx8k --dry-run",
    "verify -a toy -n 8", "store prune", "store prune -a alpha --yes",
    "board build icebreaker -a toy -n 8",
    "board simulate -a toy -n 8"])
def test_what_is_written(unwritable, command):
    status, said = unwritable(*command.split())
    assert (status, said) == (2, "montgomery: A store must be writable for this command, but store "
                                 "is not; make it writable, or name another store with --store\n")
