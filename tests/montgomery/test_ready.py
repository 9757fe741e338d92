"""What comes on port ``k`` has no part in whether port ``i`` is ready in the same clock.

A path from one to the other would be one across two interfaces of whatever is around a core.
"""

import pytest
from cases import legal_width, named, variants

from explore.netlist.hardware import Hardware
from montgomery import KINDS, exponentiators

CORES = [params for kind in KINDS.values() for cls in kind.cores().values()
         for params in variants(cls, legal_width(cls, 16)) if params.k_words]
CORES.append(exponentiators()["single_dsp"](width=16, processors=2))


def _within_a_clock(netlist, port):
    """Return the names of the inputs that a port depends on within a clock."""
    pending, seen = list(netlist.top.ports_o[port]), set()
    while pending:
        net = pending.pop()
        if not net.is_const and net not in seen:
            seen.add(net)
            pending += [before for before, _ in netlist.cells[net.cell].comb_edges_to(net.bit)]
    return {name for name, (start, width) in netlist.top.ports_i.items()
            if any(net.cell == 0 and start <= net.bit < start + width for net in seen)}


@pytest.mark.parametrize("params", named(CORES))
def test_no_path_from_a_key_to_an_operation(params):
    found = _within_a_clock(Hardware(params.create(), "core").netlist, "i__ready")
    crossing = {port for port in found if port.startswith("k__")}
    assert not crossing, f"i__ready depends on {sorted(crossing)}"
