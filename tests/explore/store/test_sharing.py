"""A store that two users of one group write at once."""

import os
import shutil
import tempfile
import time
import traceback
from pathlib import Path

import pytest

from explore.outcome import Outcome
from explore.store import Store

GROUP = 54321
USERS = (54322, 54323)
ROUNDS = 30

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs to become other users")


@pytest.fixture
def shared():
    """Return a folder of the group, below one that everybody can enter."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder, "shared")
        path.mkdir()
        os.chown(path, -1, GROUP)
        path.chmod(0o2770)
        yield path


def _become(user):
    os.setgroups([GROUP])
    os.setgid(user)
    os.setuid(user)
    os.umask(0o002)


def _work(path, user):
    """Store outcomes that the other one stores as well, read them, and forget some."""
    for index in range(ROUNDS):
        key = f"{index % 7:02x}key"
        with Store(path) as store:
            while (lock := store.lock(key)) is None:
                time.sleep(0.001)
            try:
                workspace = store.workspace(key)
                (workspace / "file").write_text(f"{user}")
                store.commit(key, {"stage": "x"}, Outcome(files={"file": "hash"}), workspace)
                assert store.outcome(key) is not None
                assert (store.files(key) / "file").read_text() == f"{user}"
                if index % 5 == 0:
                    store.forget(key)
            finally:
                lock.release()
            store.remember_rows({f"{user} {index}": {"user": user, "index": index},
                                 "both": {"user": user}})


def test_two_users_of_a_group(shared):
    children = []
    for user in USERS:
        child = os.fork()
        if not child:
            try:
                _become(user)
                _work(shared / "store", user)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    with Store(shared / "store").open(writable=False) as store:
        rows = store.rows()
        assert len(rows) == 2 * ROUNDS + 1
        assert sum(store.outcome(f"{index:02x}key") is not None for index in range(7)) >= 2
    assert {path.stat().st_gid for path in (shared / "store").rglob("*")} == {GROUP}
    # Either of them can remove all of it.
    child = os.fork()
    if not child:
        _become(USERS[1])
        shutil.rmtree(shared / "store", ignore_errors=True)
        os._exit(0)
    os.waitpid(child, 0)
    assert list(shared.iterdir()) == []
