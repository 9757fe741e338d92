"""Toys that are compiled once for all runs."""

import pytest
from compiled_cores import core_library

from explore.simulation import CompiledEngine
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator


@pytest.fixture(scope="session")
def kept(kept_folder):
    """Return the folder of a store of what tests before this one had compiled."""
    return kept_folder / "store-of-toys"


@pytest.fixture
def engine(kept, tmp_path):
    """Return a function that compiles a core, by CXXRTL unless another engine is named."""
    if find_compiler() is None:
        pytest.skip("there is no C++ compiler")
    with Store(kept) as store:
        yield lambda params, engine="cxxrtl", **options: CompiledEngine(core_library(
            store, params, tmp_path, find_compiler(), verilator=find_verilator(), engine=engine,
            **options))
