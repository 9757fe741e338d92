"""Mutants of a core for which yosys needs care; others are counted through the command."""

import pytest

from explore.pipeline.mutation import verify_mutants
from explore.tools.compiler import find_compiler
from explore.tools.toolbox import Toolbox
from montgomery.cox_rower.exponentiator import Parameters

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")


def test_registers_may_go_by_several_names(tmp_path):
    report = verify_mutants(Parameters(width=4, word_width=6, rowers=1, window=1), 3, vectors=1,
                            compiler=find_compiler(), folder=tmp_path, toolbox=Toolbox())
    assert report.ok
    assert sum(report.counts.values()) == 3
