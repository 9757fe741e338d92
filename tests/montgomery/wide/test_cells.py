"""The block that multiplies signed digits in a datapath for a fixed prime, on an ECP5."""

import pytest
from cxxrtl import MODELS, Simulator, seeded, sides, top

from explore.tools.compiler import find_compiler
from montgomery.wide.datapath.core import HeldProduct
from montgomery.wide.datapath.ranges import DIGIT_BITS


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
def test_products_of_signed_digits_are_those_of_the_block(tmp_path, request):
    rng = seeded(request)
    inputs = {"x": DIGIT_BITS, "y": DIGIT_BITS, "load": 1}
    outputs = dict.fromkeys(("gold", "gate"), 2 * DIGIT_BITS)
    body = "".join(f"{side}_block u{side}(.clk(clk), .rst(1'b0), .x(x), .y(y), .load(load), "
                   f".p({side}));\n" for side in outputs)
    (tmp_path / "top.v").write_text(top(inputs, outputs, body))
    simulator = Simulator(tmp_path, [*sides(tmp_path, "ecp5", "_block", HeldProduct),
                                     MODELS["ecp5"], "read_verilog top.v"], inputs, outputs)
    stimuli = [{name: rng.choice((rng.getrandbits(width), 1 << width - 1, (1 << width) - 1))
                for name, width in inputs.items()} for _ in range(400)]
    for shown in simulator.run(stimuli):
        assert shown["gate"] == shown["gold"]
