"""The block RAM does the same in every technology, in every clock."""

import functools

import pytest
from amaranth.back import rtlil
from bench import run
from cxxrtl import MODELS, Simulator, seeded, sides, top

from explore.tools.compiler import find_compiler
from montgomery.blocks.block_ram import BlockRam
from montgomery.technology import technologies

INPUTS = ("enable", "address", "write", "data")


def _accesses(rng, width, depth, count):
    """Return clocks of both ports that do nothing undefined, and few different addresses."""
    addresses = rng.sample(range(depth), min(depth, 6))
    clocks = []
    for _ in range(count):
        ports = {port: {"enable": rng.random() < 0.8, "address": rng.choice(addresses),
                        "write": rng.random() < 0.4, "data": rng.getrandbits(width)}
                 for port in "ab"}
        a, b = ports["a"], ports["b"]
        if a["write"] and b["write"]:
            b["write"] = False
        if a["address"] == b["address"] and (a["write"] or b["write"]):
            b["enable"] = False
            a["enable"] = a["enable"] or b["write"]
        clocks.append({f"{port}__{name}": int(value) for port, access in ports.items()
                       for name, value in access.items()})
    return clocks


def _expected(clocks, depth):
    """Return for each clock the words at ``q`` of both ports, None where they are undefined."""
    memory, shown = [0] * depth, []
    stages = {"a": [0, 0], "b": [0, 0]}
    for clock in clocks:
        shown.append({port: stage[1] for port, stage in stages.items()})
        before = list(memory)
        for port, stage in stages.items():
            enable, address, write, data = (clock[f"{port}__{name}"] for name in INPUTS)
            if enable:
                stages[port] = [None if write else before[address], stage[0]]
            if enable and write:
                memory[address] = data
    return shown


@pytest.mark.parametrize(("width", "depth"), [(1, 2), (18, 64), (7, 33)])
def test_does_what_it_says(width, depth, request):
    ram = BlockRam(width, depth)
    clocks = _accesses(seeded(request), width, depth, 300)

    async def testbench(ctx):
        for number, (clock, words) in enumerate(zip(clocks, _expected(clocks, depth),
                                                    strict=True)):
            for name, value in clock.items():
                port, _, member = name.partition("__")
                ctx.set(getattr(getattr(ram, port), member), value)
            for port, word in words.items():
                assert word is None or ctx.get(getattr(ram, port).q) == word, (number, port)
            await ctx.tick()

    run(ram, testbench)


@pytest.mark.thorough
@pytest.mark.sample(1)
@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("name", ["ecp5", "ice40-ultra", "xilinx-7"])
def test_models_of_the_blocks_do_the_same(name, tmp_path, request):
    rng = seeded(request)
    shapes = [(18, 1024), (5, 200)]
    inputs = {"a__enable": 1, "a__address": 11, "a__write": 1, "a__data": 18,
              "b__enable": 1, "b__address": 11, "b__write": 1, "b__data": 18}
    outputs, body, script = {}, "", []
    for index, (width, depth) in enumerate(shapes):
        script += sides(tmp_path, name, index, functools.partial(BlockRam, width, depth))
        for side in ("gold", "gate"):
            for port in "ab":
                outputs[f"{side}{index}_{port}"] = width
            size = (depth - 1).bit_length()
            ports = [f".{port}__{member}({port}__{member}[{bits - 1}:0])" for port in "ab"
                     for member, bits in zip(INPUTS, (1, size, 1, width), strict=True)]
            ports += [f".{port}__q({side}{index}_{port})" for port in "ab"]
            body += (f"{side}{index} u{side}{index} (.clk(clk), .rst(1'b0), "
                     f"{', '.join(ports)});\n")
    (tmp_path / "top.v").write_text(top(inputs, outputs, body))
    simulator = Simulator(tmp_path, [*script, MODELS[name], "read_verilog top.v"], inputs, outputs)
    # Addresses that are different in the smallest memory, and never in the same clock.
    clocks = _accesses(rng, 18, 200, 1200)
    found = simulator.run(clocks)
    for (width, _depth), index in zip(shapes, range(len(shapes)), strict=True):
        mask = (1 << width) - 1
        expected = _expected(clocks, 2048)
        for number, (words, values) in enumerate(zip(expected, found, strict=True)):
            for port, word in words.items():
                if word is not None:
                    assert values[f"gold{index}_{port}"] == word & mask, (number, port, index)
                    assert values[f"gate{index}_{port}"] == word & mask, (number, port, index)


@pytest.mark.thorough
@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
def test_blocks_of_an_ecp5_hold_the_first_words(tmp_path, request):
    rng, most = seeded(request), 14
    rams = {f"ram{width}": (width, [rng.getrandbits(width) for _ in range(depth)])
            for width, depth in ((20, 700), (9, 1500), (6, 2049), (3, 5072), (1, 9000))}
    body = ""
    for name, (width, words) in rams.items():
        ram, bits = BlockRam(width, len(words), words), (len(words) - 1).bit_length()
        (tmp_path / f"{name}.il").write_text(rtlil.convert(
            ram, name=name, platform=technologies()["ecp5"], emit_src=False))
        body += (f"{name} u{name} (.clk(clk), .rst(1'b0), .a__enable(1'b0), "
                 f".a__address({bits}'d0), .a__write(1'b0), .a__data({width}'d0), "
                 f".b__enable(1'b1), .b__write(1'b0), .b__data({width}'d0), "
                 f".b__address(address[{bits - 1}:0]), .b__q({name}));\n")
    inputs, outputs = {"address": most}, {name: width for name, (width, _) in rams.items()}
    (tmp_path / "top.v").write_text(top(inputs, outputs, body))
    simulator = Simulator(tmp_path, [*(f"read_rtlil {name}.il" for name in rams), MODELS["ecp5"],
                                     "read_verilog top.v"], inputs, outputs)
    found = simulator.run([{"address": index} for index in range(9000 + BlockRam.LATENCY)])
    for name, (_, words) in rams.items():
        assert [values[name] for values in found[BlockRam.LATENCY:][:len(words)]] == words, name


def test_refuses_what_no_block_is_deep_enough_for():
    ram = BlockRam(1, (1 << 14) + 1)
    with pytest.raises(ValueError, match="must be 16384 or less, not 16385"):
        rtlil.convert(ram, platform=technologies()["ecp5"])
