"""Simulation of Verilog and RTLIL, for tests of cells rather than of cores."""

import array
import ctypes
import random
import subprocess

from amaranth.back import rtlil

from explore.devices.model import own_models
from explore.tools.compiler import find_compiler
from explore.tools.find import packaged
from montgomery.technology import GENERIC, technologies

__all__ = ["CHAINS", "MODELS", "Simulator", "instance", "prove_equal", "seeded", "sides", "top",
           "yosys"]

#: From each technology whose blocks are instances to what reads the models of them.
MODELS = {"ecp5": "read_verilog -defer models.v",
          "ice40-ultra": "read_verilog -defer +/ice40/cells_sim.v",
          "nexus": "read_verilog -defer +/lattice/cells_sim_nexus.v",
          "xilinx-7": "read_verilog -defer xc7.v"}
#: Reads the cells of the carry chains of an ECP5.
CHAINS = "read_verilog -defer -nooverwrite +/lattice/cells_sim_ecp5.v"

_DRIVER = """
#include "top.cc"
template <size_t Bits> const uint32_t *bits(const cxxrtl::value<Bits> &port) { return port.data; }
template <size_t Bits> const uint32_t *bits(const cxxrtl::wire<Bits> &port) {
	return port.curr.data;
}
using Top = cxxrtl_design::p_top;
extern "C" bool settles() { return Top().eval(nullptr); }
// The outputs are those just before the rising edge, with the inputs of that clock.
extern "C" void run(uint64_t clocks, const uint32_t *in, uint32_t *out) {
	Top top;
	for (; clocks > 0; clocks--) {
		for (auto &chunk : top.p_i.data) chunk = *in++;
		top.p_clk.set<bool>(false);
		top.step();
		top.step();  // one more, for what an asynchronous reset changes
		for (size_t chunk = 0; chunk < decltype(top.p_o)::chunks; chunk++)
			*out++ = bits(top.p_o)[chunk];
		top.p_clk.set<bool>(true);
		top.step();
	}
}
"""


class Simulator:
    """A Verilog module ``top``, with ports ``clk``, ``i`` and ``o``, by way of CXXRTL.

    Parameters
    ----------
    inputs, outputs : dict
        From names to widths: how ``i`` and ``o`` are composed, lowest first.
    """

    def __init__(self, folder, script, inputs, outputs):
        self._inputs, self._outputs = inputs, outputs
        yosys(folder, [*script, "hierarchy -check -top top", "proc", "flatten", "opt -full",
                       "opt_clean -purge", "write_cxxrtl -g0 top.cc"])
        (folder / "driver.cc").write_text(
            _DRIVER.replace("decltype(top.p_o)::chunks", str(_chunks(outputs))))
        headers = packaged("yosys").folder / "share/include/backends/cxxrtl/runtime"
        subprocess.run([*find_compiler().command, "-std=c++17", "-O0", "-w", "-shared", "-fPIC",
                        f"-I{headers}", "driver.cc", "-o", "top.so"], cwd=folder, check=True)
        self._library = ctypes.CDLL(str(folder / "top.so"))
        self._library.settles.restype = ctypes.c_bool

    @property
    def settles(self):
        """Whether one evaluation is enough for a clock."""
        return self._library.settles()

    def run(self, stimuli):
        """Return the outputs of each clock, by name; all begins anew."""
        given = b"".join(_join(clock, self._inputs).to_bytes(4 * _chunks(self._inputs), "little")
                         for clock in stimuli)
        size = 4 * _chunks(self._outputs)
        out = array.array("B", bytes(size * len(stimuli)))
        self._library.run(ctypes.c_uint64(len(stimuli)), given,
                          ctypes.c_void_p(out.buffer_info()[0]))
        data = out.tobytes()
        return [_split(int.from_bytes(data[at:at + size], "little"), self._outputs)
                for at in range(0, len(data), size)]


def _chunks(ports):
    return -(-sum(ports.values()) // 32)


def _join(values, ports):
    number, at = 0, 0
    for name, width in ports.items():
        number |= values[name] << at
        at += width
    return number


def _split(number, ports):
    values = {}
    for name, width in ports.items():
        values[name] = number & ((1 << width) - 1)
        number >>= width
    return values


def yosys(folder, script):
    (folder / "models.v").write_text(own_models("ecp5"))
    (folder / "xc7.v").write_text(own_models("xc7"))
    (folder / "script.ys").write_text("\n".join(script))
    done = subprocess.run([*packaged("yosys").command, "-q", "script.ys"], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def sides(folder, technology, name, component, suffix=""):
    """Write a block for no technology and for one, and return the lines that read both.

    They are modules "gold" and "gate" with a name behind, and a suffix.
    """
    lines = []
    for side, platform in (("gold", GENERIC), ("gate", technologies()[technology])):
        (folder / f"{side}{name}.il").write_text(rtlil.convert(
            component(), name=f"{side}{name}{suffix}", platform=platform, emit_src=False))
        lines.append(f"read_rtlil {side}{name}.il")
    return lines


def prove_equal(folder, technology, models, blocks, *, connected=None, cells=None,
                sat="sat -prove trigger 0 -verify"):
    """Prove that blocks are the same with the cells of a technology as without them.

    Parameters
    ----------
    models : str
        Reads the models of the cells.
    blocks : dict
        From names to functions that make a block.
    connected : dict or None
        From names to the header of a module with a block inside, and to what is connected to it.
    cells : dict or None
        From names to options of ``select`` that must hold of the block with cells.
    """
    script, suffix = [models], "_inner" if connected else ""
    for name, component in blocks.items():
        script += sides(folder, technology, name, component, suffix)
        if connected:
            header, ports = connected[name]
            (folder / f"{name}.v").write_text("".join(
                f"module {side}{name}({header}); {side}{name}{suffix} inner({ports}); endmodule\n"
                for side in ("gold", "gate")))
            script.append(f"read_verilog {name}.v")
        if cells:
            script.append(f"select {cells[name].format(f'gate{name}{suffix}')}")
        script.append(f"miter -equiv gold{name} gate{name} miter{name}")
    # A top of all of them, so that of the models none but the cells that are used are read.
    instances = "".join(f"miter{name} m{name}(); " for name in blocks)
    (folder / "all.v").write_text(f"module all; {instances} endmodule\n")
    script += ["read_verilog all.v", "hierarchy -check -top all", "delete all", "proc", "flatten",
               "opt_clean"]
    if "-tempinduct" in sat:
        script += [*["opt -full", "wreduce"] * 2, "opt -full"]
    yosys(folder, [*script, *(f"{sat} miter{name}" for name in blocks)])


def slices(ports, bus):
    """Return Verilog wires with the names of ports, as parts of a bus."""
    text, at = "", 0
    for name, width in ports.items():
        part = f"{bus}[{at + width - 1}:{at}]"
        wire = f"wire [{width - 1}:0] {name}"
        text += f"{wire} = {part};\n" if bus == "i" else f"{wire}; assign {part} = {name};\n"
        at += width
    return text


def instance(cell, name, parameters, buses):
    """Return an instance; a bus is ``(port, width, expression)``, a port without number has 0."""
    connections = []
    for port, width, value in buses:
        connections += ([f".{port}({value})"] if width == 0 else
                        [f".{port}{n}({value}[{n}])" for n in range(width)])
    values = ", ".join(f'.{key}("{value}")' if isinstance(value, str) else f".{key}(320'd{value})"
                       for key, value in parameters.items())
    return f"{cell} #({values}) {name} ({', '.join(connections)});\n"


def top(inputs, outputs, body):
    return (f"module top(input clk, input [{sum(inputs.values()) - 1}:0] i,"
            f" output [{sum(outputs.values()) - 1}:0] o);\n"
            f"{slices(inputs, 'i')}{slices(outputs, 'o')}{body}endmodule\n")


def seeded(request):
    """Return random numbers of a seed that stands in the output of a failed test."""
    seed = random.randrange(1 << 32)
    print(f"{request.node.name}: seed {seed}")
    return random.Random(seed)
