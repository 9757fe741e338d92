"""The plan of a verification is the same until its version is another one."""

import hashlib
import json
from pathlib import Path

from explore.pipeline.stages.stimuli import PLAN
from explore.points.expand import expand
from explore.simulation.judge import unpacked
from explore.simulation.verify import plan_of

#: Digests of plans, with the version of the plan: another plan needs another version.
PLANS = Path(__file__).with_name("plans.json")
CORES = [("mmm_mx_1d", 8, {}), ("mmm_op_2d", 8, {}), ("multi_step", 16, {}),
         ("single_dsp", 24, {}), ("dsp_systolic", 24, {"quotient": "delayed"}),
         ("cox_rower", 32, {}), ("exponentiation.generic", 8, {}),
         ("exponentiation.single_dsp", 24, {}), ("hash.sha1", 64, {})]


def test_another_plan_has_another_version():
    """After a change of the plan, raise PLAN, and write what is printed to the file."""
    found = {"version": PLAN, "plans": {}}
    for name, width, params in CORES:
        point, = expand([name], [width], {key: [value] for key, value in params.items()},
                        ["ecp5-85k"])
        data = plan_of(point.parameters(), vectors=3, seed=0, thorough=True)
        whole = "".join(digest for digest, _ in unpacked(data))
        found["plans"][name] = hashlib.sha256(whole.encode()).hexdigest()[:16]
    print(json.dumps(found, indent=1))
    assert found == json.loads(PLANS.read_text())
