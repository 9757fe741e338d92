"""The explorer without the extra ``cluster``."""

import pytest

#: A program in which Dask cannot be imported, as if it were not installed.
WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(["dask", "distributed"]))
from explore.cli import cli
cli()
"""


@pytest.fixture
def sweep(fakes, alone, tmp_path):
    (tmp_path / "without.py").write_text(WITHOUT)
    return lambda *arguments: alone("sweep", "-a", "mmm_mx_1d", "-n", "4", "-t", "ice40-hx8k",
                                    "--seeds", "1", *arguments, program="without")


def test_a_sweep_on_this_machine_needs_no_dask(sweep):
    ended = sweep("--json")
    assert ended.returncode == 0, ended.stderr
    assert '"status": "ok"' in ended.stdout


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "local:2"])
def test_a_scheduler_needs_the_extra(sweep, address):
    ended = sweep("--scheduler", address)
    assert ended.returncode == 2
    assert ended.stderr == (
        "montgomery: Work on many machines needs Dask (dask is missing); run pip "
        "install '.[cluster]' in the project's folder\n")
