"""Proofs in a store that the tests of a module share."""

import pytest

from explore.pipeline.on_demand import SingleStages
from explore.pipeline.proving import Proofs
from explore.store import Store


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("store")) as store, SingleStages(store) as made:
        yield made


@pytest.fixture(scope="module")
def prover(computed):
    return Proofs(computed, seconds=20, depth=20)
