"""Makes the helpers beside it known to the tests below, and what all of them share."""

import fcntl
import gc
import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

if importlib.util.find_spec("explore").origin is None:
    # The folder of the same name beside this file hides a package that is installed for editing.
    sys.modules.pop("explore", None)
    sys.path.insert(0, str(Path(__file__).parents[1]))

from compiled_cores import CompiledCores
from lent_workers import LentWorkers, end_all
from precompiled import precompiled_header
from sampling import sample

from explore.pipeline import site
from explore.simulation import build
from explore.store import SCHEMA, Store
from explore.tools.compiler import find_compiler
from explore.tools.find import packaged

# Designs and frames are many objects that refer to each other. With the usual thresholds, to look
# for garbage among them takes a fifth of the time of a test.
gc.set_threshold(50_000, 20, 20)


#: What is kept between runs lies below the folder of pytest's cache, for one layout of stores.
KEPT = f"montgomery-{SCHEMA}"


def pytest_configure(config):
    """Have Ctrl-C work, and delete what was kept in stores of another layout."""
    # A shell has what it starts in the background ignore Ctrl-C, and nohup a terminal that is gone;
    # so would all that tests start.
    for number, usual in ((signal.SIGINT, signal.default_int_handler),
                          (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    if "PYTEST_XDIST_WORKER" not in os.environ and hasattr(config, "cache"):
        kept = config.cache.mkdir(KEPT)
        for other in kept.parent.glob("montgomery-*"):
            if other != kept:
                shutil.rmtree(other)


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true",
                     help="run the tests that take long as well")
    parser.addoption("--all-cases", action="store_true",
                     help="run all cases of the tests that otherwise run a sample of them")
    parser.addoption("--renew", action="store_true",
                     help="write what is expected, such as tests/explore/messages.txt, anew")


def pytest_collection_modifyitems(config, items):
    chosen = list(items)
    if not config.getoption("--thorough"):
        chosen = [item for item in chosen if not item.get_closest_marker("thorough")]
    if not config.getoption("--all-cases"):
        chosen = sample(chosen)
    config.hook.pytest_deselected(items=list({*items} - {*chosen}))
    items[:] = chosen


@pytest.fixture(scope="session", autouse=True)
def lent_workers():
    """Have sweeps of tests leave their workers to those after them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "Workers", LentWorkers)
        yield
        end_all()


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """Return a folder that all processes of this run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def kept_folder(request, shared_folder):
    """Return a folder that all runs share, for what is found there by its content."""
    return request.config.cache.mkdir(KEPT) if hasattr(request.config, "cache") else shared_folder


@pytest.fixture(scope="session", autouse=True)
def compiled_yosys(shared_folder):
    """Have yosys compile itself in one of several processes, and not in all of them at once."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        with (shared_folder / "yosys.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            subprocess.run([*packaged("yosys").command, "--version"], check=True,
                           stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session", autouse=True)
def quick_compiler(kept_folder):
    """Have g++, if it is what compiles, read the header that all simulations include once."""
    compiler = None if "CXX" in os.environ else find_compiler()
    if compiler is None or not compiler.version.startswith("g++"):
        yield
        return
    header = precompiled_header(compiler, kept_folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CXX", shlex.join([*compiler.command, "-include", str(header)]))
        yield


@pytest.fixture
def unoptimised(monkeypatch):
    """Have simulations be compiled in less time than an optimised one would save."""
    monkeypatch.setattr(build, "FAST", ("-O0",))


@pytest.fixture(scope="session")
def compiled(quick_compiler, kept_folder, tmp_path_factory):
    """Return the cores that any test has compiled: :class:`CompiledCores`."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    with Store(kept_folder / "store-of-cores") as store:
        yield CompiledCores(store, compiler, tmp_path_factory.mktemp("libraries"))
