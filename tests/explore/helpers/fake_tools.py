"""Stand-ins for yosys and nextpnr that do as they are told."""

import json
import sys
from pathlib import Path

__all__ = ["FakeTools"]

_FAKE = """#!{python}
import json, os, signal, sys, time
from pathlib import Path

home = Path({home!r})
name = Path(sys.argv[0]).name
arguments = sys.argv[1:]
if "--version" in arguments:
    print(name, "version 1")
    sys.exit()
seed = arguments[arguments.index("--seed") + 1] if "--seed" in arguments else "-"
with (home / "calls").open("a") as calls:
    print(name, seed, os.getpid(), os.getcwd(), file=calls)
modes = json.loads((home / "modes").read_text())
mode = modes.get(f"{{name}} {{seed}}", modes.get(name, "ok"))
kind, _, value = mode.partition(" ")
if kind == "sleep":
    begin = time.monotonic()
    time.sleep(float(value))
    with (home / "sleeps").open("a") as sleeps:
        print(begin, time.monotonic(), file=sleeps)
elif kind == "kill":
    # What started it, which its parent watches.
    stat = Path(f"/proc/{{os.getppid()}}/stat").read_text()
    os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)
    time.sleep(30)
elif kind == "signal":
    os.kill(os.getpid(), int(value))
elif kind == "fail":
    print(value, file=sys.stderr)
    sys.exit(1)
elif kind == "nothing":
    sys.exit()

if kind == "larger":
    # Area grows with the core, and the clock with the weight of timing in the placer.
    size = len(Path("core.il").read_text().splitlines()) if name == "yosys" else 0
    weight = "--placer-heap-timingweight"
    speed = int(arguments[arguments.index(weight) + 1]) if weight in arguments else 0
cells = {{"LUT4": 10, "CCU2C": 2, "TRELLIS_FF": 7, "SB_LUT4": 14, "SB_DFF": 7,
          "LUT6": 5, "FDRE": 7}}
if kind == "larger":
    cells["LUT4"] = size
chain = {{"LUT4": 1, "SB_LUT4": 1}}
both = {{cell: cells.get(cell, 0) + chain.get(cell, 0) for cell in cells}}
both["LUT4"] += kind == "optimised"
# From a register through a LUT and a carry chain of three cells, in the words of the family.
register, lut, adder, carry = {{
    "nextpnr-ice40": ("SB_DFF_Q", "SB_LUT4_O", "SB_CARRY_CO", "COUT"),
    "nextpnr-himbaechel-gowin": ("DFFRE_Q", "LUT4_F", "ALU_SUM", "COUT")}}.get(
        name, ("TRELLIS_FF_Q", "LUT4_Z", "CCU2C_S0", "FCO"))
hops = [(f"a_{{register}}", "Q", 0.5, 1.0), (f"b_{{lut}}", "F", 0.2, 0.9),
        (f"c_{{adder}}", carry, 0.4, 0), (f"c_{{adder}}_1", carry, 0.1, 0),
        (f"c_{{adder}}_2", "F", 0.4, 0.1), (f"d_{{register}}_D_Q", "D", 0, 0)]
path = []
for (cell, port, logic, routing), (after, *_) in zip(hops, hops[1:]):
    here, there = ({{"cell": "core." + name, "port": port}} for name in (cell, after))
    path += [{{"type": "logic", "delay": logic, "from": here, "to": here}},
             {{"type": "routing", "delay": routing, "from": here, "to": there}}]
report = {{
    "fmax": {{"clk": {{"achieved": 100.0 + int(seed)}}, "other": {{"achieved": 700.0}}}},
    "utilization": {{"LC": {{"used": 1, "available": 2}}}},
    "critical_paths": [{{"from": "posedge clk", "to": "posedge clk", "path": path}}]}} \\
    if name != "yosys" else None
if kind == "noclock":
    report["fmax"] = {{}}
elif kind == "larger" and name != "yosys":
    report["fmax"]["clk"]["achieved"] = 50.0 + float(value) * speed + int(seed)
elif kind == "clock":
    report["fmax"] = {{"clk": {{"achieved": "HERE"}}}}


def write(name, contents):
    text = "rubbish" if kind == "rubbish" else json.dumps(contents).replace('"HERE"', value)
    if kind == "deep":
        text = "[" * 100_000
    if kind == "folder":
        Path(name).mkdir()
    elif kind == "fifo":
        os.mkfifo(name)
    else:
        Path(name).write_text(text)


def stat(cells):
    return {{"design": {{"num_cells_by_type": cells}}}}


Path(f"{{name.partition('-')[0]}}.log").write_text(f"{{name}} {{seed}} {{os.getpid()}}")
if name == "yosys":
    assert Path("core.il").read_text() and Path("harness.il").read_text()
    write("core.json", stat(cells))
    write("harness.json", stat(chain | {{"core": 1}}))
    write("netlist_stat.json", stat(both))
    Path("netlist.json").write_text(json.dumps({{"modules": {{}}, "of": Path("core.il").read_text(),
                                                 "in": Path("harness.il").read_text()}}))
else:
    assert Path("netlist.json").read_text()
    write("report.json", report)
"""


class FakeTools:
    """Stand-ins for yosys and nextpnr, that write what those would and list their calls."""

    names = ("yosys", "nextpnr-ice40", "nextpnr-ecp5", "nextpnr-himbaechel-gowin")

    def __init__(self, home: Path) -> None:
        self._home = home
        self.variables = {}
        for name in self.names:
            path = home / name
            path.write_text(_FAKE.format(python=sys.executable, home=str(home)))
            path.chmod(0o755)
            self.variables[name.upper().replace("-", "_")] = str(path)
        self.behave()

    def behave(self, **modes: str) -> None:
        """Set how tools behave, by name or name and seed (``nextpnr_ice40_2``); all others work."""
        modes = {name.replace("_", "-", 1).replace("_", " ") if "_" in name else name: mode
                 for name, mode in modes.items()}
        (self._home / "modes").write_text(json.dumps(modes))

    def forget(self) -> None:
        """Forget the calls and sleeps so far."""
        for name in ("calls", "sleeps"):
            (self._home / name).unlink(missing_ok=True)

    @property
    def most_asleep(self) -> int:
        """Largest number of tools that slept at one time, by their own clocks."""
        spans = [tuple(map(float, line.split()))
                 for line in (self._home / "sleeps").read_text().splitlines()]
        return max(sum(begin <= moment < end for begin, end in spans) for moment, _ in spans)

    @property
    def calls(self) -> list[tuple[str, str, int, str]]:
        """Name, seed, process and folder of each call so far."""
        try:
            lines = (self._home / "calls").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [(name, seed, int(pid), folder) for name, seed, pid, folder in map(str.split, lines)]

    @property
    def jobs(self) -> list[str]:
        """Name and seed of each call so far, sorted."""
        return sorted(f"{name} {seed}" for name, seed, _, _ in self.calls)
