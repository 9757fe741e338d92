"""Mutants of a core for which yosys needs care; others are counted through the command."""

import pytest
from toy import Toy

from explore.pipeline.mutation import verify_mutants
from explore.tools.compiler import find_compiler
from explore.tools.toolbox import Toolbox

pytestmark = [pytest.mark.thorough,
              pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")]


def test_what_an_earlier_report_knows_of_proofs_is_not_proved_again(tmp_path):
    reports, proofs = [], []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        earlier = reports[-1].to_json() if reports else None
        reports.append(verify_mutants(Toy(width=4), 8, vectors=1, compiler=find_compiler(),
                                      folder=folder, toolbox=Toolbox(), earlier=earlier))
        proofs.append(len(list(folder.glob("proof_*"))))
    assert reports[0].counts["equivalent"]
    assert proofs == [reports[0].counts["equivalent"] + reports[0].counts["missed"]
                      + reports[0].counts["undetected"], 0]
    assert reports[1].to_json() == reports[0].to_json()
