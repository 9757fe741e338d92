#!/usr/bin/env python3
"""A LiteX SoC with four cores on its bus, whose program checks them against OpenSSL.

The cores: RSA-2048 with CRT, multiples of points of P-256, X25519, and ECDSA verification on P-256.
The program on the SoC's CPU, a VexRiscv, drives each by the driver in C, compares what comes with
what OpenSSL found, and provokes what the registers can say. ``simulate`` runs the SoC in Verilator.
``build`` makes a bitstream for a ULX3S with an LFE5U-85F; of all four cores it was not routed yet.
``show`` prints what both measured.

    python docs/soc/soc.py simulate
    python docs/soc/soc.py build p256 x25519

docs/systems.md says what has to be installed. What is in the folder is used again: remove the
folder to begin anew.
"""

import argparse
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Names of the cores, and how they are made.
CORES = {
    "rsa": "-a rsa_crt.dsp_systolic -n 2048",
    "p256": "-a scalar_multiplication.wide -n 256",
    "x25519": "-a key_agreement.wide -n 255",
    "ecdsa": "-a ecdsa_verification.wide -n 256"}
#: A board, whose FPGA has 156 multiplier blocks, and the four cores and the CPU want 162; and the
#: cores that are made in another way there.
BOARD, ON_BOARD = "ULX3S", {
    "x25519": "-a key_agreement.generic -n 255 -p multiplier=single_dsp -p word_width=17"}
CLOCK_MHZ = 50
#: Where the cores are on the bus, where accesses are not cached.
ORIGINS = {name: 0x90000000 + 0x10000 * number for number, name in enumerate(CORES)}
#: What ends what the program prints.
ENDS = ("all is right", "something is wrong")
PACKAGES = ("litex==2024.12 migen pythondata-cpu-vexriscv pythondata-misc-tapcfg "
            "pythondata-software-picolibc pythondata-software-compiler-rt meson ninja "
            "'setuptools<81'")
COMPILER = {"riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf"}
#: Modules and programs that a command needs, and what to install for each.
NEEDS = {"simulate": ({"litex": PACKAGES, "migen": PACKAGES},
                      {**COMPILER, "verilator": "verilator g++"}),
         "build": ({"litex": PACKAGES, "migen": PACKAGES, "litex_boards": "litex-boards==2023.12"},
                   COMPILER),
         "show": ({}, {})}


def check(command):
    """End with one line that says what is missing."""
    modules, programs = NEEDS[command]
    ways = {"pip": [words for name, words in modules.items()
                    if not importlib.util.find_spec(name)],
            "apt-get": [words for name, words in programs.items() if not shutil.which(name)]}
    lacks = [f"{way} install {' '.join(dict.fromkeys(words))}" for way, words in ways.items()
             if words]
    if lacks:
        sys.exit(f"soc.py {command} needs more programs; install them by: {'; '.join(lacks)}")


def export(folder, cores):
    """Write the cores as Verilog, with the driver, unless they are there."""
    for name, words in cores.items():
        if not (folder / name / f"{name}_litex.py").exists():
            subprocess.run(["montgomery", "export", *words.split(), "--bus", "wishbone",
                            "--clear", "--name", name, "--vectors", "0", "--output",
                            str(folder / name)], check=True)


def system(platform, folder, cores, **more):
    """Return a SoC with cores on its bus; its program has a ROM."""
    from litex.soc.integration.soc_core import SoCCore

    soc = SoCCore(platform, CLOCK_MHZ * 10**6, cpu_type="vexriscv", cpu_variant="standard",
                  integrated_rom_init=[0], integrated_sram_size=0x8000, **more)
    for name in cores:
        spec = importlib.util.spec_from_file_location(name, folder / name / f"{name}_litex.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.add(soc, platform, origin=ORIGINS[name])
    return soc


def generate(soc, folder, build, cores, operations):
    """Write the SoC as Verilog, and its program, into a folder."""
    from inputs import write
    from litex.soc.integration.builder import Builder

    software = folder / "software"
    for library in software.glob("lib*"):
        if library.name not in ("libc", "libcompiler_rt"):  # which are the same for all SoCs
            shutil.rmtree(library)
    Builder(soc, output_dir=str(build), software_dir=str(software)).build(
        build_name="soc", run=False)
    program = build / "program"
    program.mkdir(exist_ok=True)
    write(program / "inputs.h", cores, operations)
    for file in (HERE / "main.c", HERE / "Makefile", *(
            folder / "cores" / cores[0] / f"montgomery.{suffix}" for suffix in "ch"),
            *(folder / "cores" / name / f"{name}.h" for name in cores)):
        shutil.copy(file, program)
    subprocess.run(["make", "-s", "-C", str(program), f"SOFTWARE={software}"], check=True)
    code = (program / "program.bin").read_bytes()
    words = (code[place:place + 4][::-1].hex() for place in range(0, len(code), 4))
    (build / "gateware" / "soc_rom.init").write_text("\n".join(words))
    if len(code) > soc.bus.regions["rom"].size:
        sys.exit(f"The program has {len(code)} bytes, which the ROM has not; "
                 "take fewer --operations")


def simulate(folder, cores, operations):
    """Run the SoC in Verilator until its program ends; return what was measured of each core."""
    from litex.build.generic_platform import Pins, Subsignal
    from litex.build.sim import SimPlatform
    from migen.genlib.io import CRG

    pads = [("sys_clk", 0, Pins(1)), ("serial", 0, *(
        Subsignal(f"{way}_{name}", Pins(bits)) for way in ("source", "sink")
        for name, bits in (("valid", 1), ("ready", 1), ("data", 8))))]
    platform = SimPlatform("SIM", pads, name="soc")
    soc = system(platform, folder / "cores", cores, integrated_rom_size=0x400000, uart_name="sim")
    soc.crg = CRG(platform.request("sys_clk"))
    build = folder / "_".join(["simulation", *cores])
    generate(soc, folder, build, cores, operations)
    gateware = build / "gateware"
    if not (gateware / "objects" / "Vsim").exists():
        sources = [source for source, *_ in platform.sources if source.endswith(".v")]
        subprocess.run(["verilator", "-O3", "--cc", "--exe", "-Wno-fatal", "-Wno-lint",
                        "-Wno-COMBDLY", "-Wno-BLKANDNBLK", "-Wno-WIDTH",
                        "--top-module", "soc", "--prefix", "Vsim", "--Mdir", "objects",
                        "--x-assign", "fast", "--x-initial", "fast", "--output-split", "20000",
                        *sources, str(HERE / "run.cpp")], cwd=gateware, check=True)
        subprocess.run(["make", "-s", "-j2", "-C", "objects", "-f", "Vsim.mk", "OPT_FAST=-O1",
                        "OPT_SLOW=-O0", "Vsim"], cwd=gateware, check=True)
    begin, measured = time.monotonic(), {}
    process = subprocess.Popen(["objects/Vsim"], cwd=gateware, text=True, stdout=subprocess.PIPE)
    try:
        for line in process.stdout:
            print(line, end="", flush=True)
            if found := re.match(r"(\w+): (\d+) operations, (\d+) clocks each", line):
                measured[found[1]] = {"operations": int(found[2]), "clocks": int(found[3]),
                                      "seconds": round(time.monotonic() - begin)}
            if any(end in line for end in ENDS):
                if ENDS[0] not in line:
                    sys.exit(1)
                return measured
    finally:
        process.kill()
    sys.exit("The simulation ended before its program did")


def tool(name, words, folder, log):
    """Run a program as packaged by YoWASP."""
    print(f"{name}: {log}", flush=True)
    with (folder / log).open("w") as file:
        done = subprocess.run([f"yowasp-{name}", *words], cwd=folder, stdout=file, stderr=file)
    if done.returncode:
        sys.exit(f"{name} ended with status {done.returncode}; see {folder / log}")


def clocked(soc, platform):
    """Give a SoC the clock of its board, by a PLL."""
    from litex.gen import ClockDomain, LiteXModule, Signal
    from litex.soc.cores.clock import ECP5PLL

    soc.crg = crg = LiteXModule()
    crg.rst, crg.cd_sys, crg.pll = Signal(name="rst"), ClockDomain("sys"), ECP5PLL()
    crg.comb += crg.pll.reset.eq(crg.rst)
    crg.pll.register_clkin(platform.request("clk25"), 25e6)
    crg.pll.create_clkout(crg.cd_sys, CLOCK_MHZ * 10**6)


def build(folder, cores, operations):
    """Make a bitstream for a ULX3S, and return what nextpnr says of it.

    Each core is synthesised on its own, and the SoC around boxes for them.
    """
    from litex_boards.platforms.radiona_ulx3s import Platform

    platform = Platform("LFE5U-85F", toolchain="trellis")
    soc = system(platform, folder / "cores", cores, integrated_rom_size=0x10000)
    clocked(soc, platform)
    build = folder / "_".join(["build", *cores])
    generate(soc, folder, build, cores, operations)
    gateware = build / "gateware"
    for name in cores:
        shutil.copy(folder / "cores" / name / f"{name}.v", gateware)
        if not (gateware / f"{name}.il").exists():
            tool("yosys", ["-p", f"read_verilog {name}.v; synth_ecp5 -top {name}; "
                           "write_rtlil core.il"], gateware, f"{name}.log")
            (gateware / "core.il").rename(gateware / f"{name}.il")
    sources = [Path(source) for source, *_ in platform.sources]
    others = [source for source in sources if source.stem not in cores and source.suffix == ".v"]
    for source in others:
        if source.parent != gateware:
            shutil.copy(source, gateware)
    boxes = " ".join(f"{name}.v" for name in cores)
    verilog = " ".join(sorted({"soc.v", *(source.name for source in others)}))
    tool("yosys", ["-p", f"read_verilog -lib {boxes}; read_verilog {verilog}; "
                   "synth_ecp5 -top soc; write_rtlil rest.il"], gateware, "rest.log")
    mapped = "; ".join(f"read_rtlil -nooverwrite {name}.il" for name in cores)
    tool("yosys", ["-p", f"{mapped}; read_rtlil -nooverwrite rest.il; hierarchy -top soc; flatten; "
                   "opt_clean; stat; write_json soc.json"], gateware, "join.log")
    tool("nextpnr-ecp5", ["--85k", "--package", "CABGA381", "--speed", "6", "--json", "soc.json",
                          "--lpf", "soc.lpf", "--textcfg", "soc.config", "--report", "report.json",
                          "--seed", "1"], gateware, "nextpnr.log")
    tool("ecppack", ["--compress", "soc.config", "soc.bit"], gateware, "ecppack.log")
    report = json.loads((gateware / "report.json").read_text())
    clocks = [clock for clock in report["fmax"].values() if clock["constraint"] == CLOCK_MHZ]
    used = {name: report["utilization"][cell]["used"] for name, cell in (
        ("lut", "TRELLIS_COMB"), ("ff", "TRELLIS_FF"), ("dsp", "MULT18X18D"), ("bram", "DP16KD"))}
    achieved = min(clock["achieved"] for clock in clocks)
    return {"cores": cores, **used, "fmax_mhz": round(achieved, 2), "constraint_mhz": CLOCK_MHZ}


def show(results):
    """Print what was measured as tables in Markdown."""
    print("| core | operations, all right | clocks of each |\n|---|---|---|")
    for name, row in results.items():
        if name in CORES:
            print(f"| `{name}`: `{CORES[name]}` | {row['operations']:,} | {row['clocks']:,} |")
    if row := results.get(BOARD):
        print(f"\n| {BOARD} | LUT4 | FF | DSP | BRAM | MHz | asked |\n{'|---' * 7}|\n"
              f"| {', '.join(row['cores'])} | {row['lut']:,} | {row['ff']:,} | {row['dsp']} | "
              f"{row['bram']} | {row['fmax_mhz']} | {row['constraint_mhz']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=list(NEEDS))
    parser.add_argument("cores", nargs="*", metavar="CORE",
                        help=f"cores on the bus: {', '.join(CORES)} (default all)")
    parser.add_argument("--operations", type=int, default=1, metavar="N",
                        help="operations of each core (default 1)")
    parser.add_argument("--output", type=Path, default=Path("soc"), metavar="DIR",
                        help="folder for all that is made (default soc)")
    parser.add_argument("--results", type=Path, default=None, metavar="FILE",
                        help="where measurements are kept (default DIR/results.json)")
    given = parser.parse_args()
    if others := [name for name in given.cores if name not in CORES]:
        parser.error(f"there is no core {others[0]}; take of {', '.join(CORES)}")
    if given.operations < 1:
        parser.error(f"--operations must be 1 or more, not {given.operations}")
    check(given.command)
    sys.path.insert(0, str(HERE))
    folder = given.output.resolve()
    file = given.results or folder / "results.json"
    results = json.loads(file.read_text()) if file.exists() else {}
    cores = [name for name in CORES if name in given.cores] or list(CORES)
    if given.command == "show":
        show(results)
        return
    made = CORES | ON_BOARD if given.command == "build" else CORES
    export(folder / "cores", {name: made[name] for name in cores})
    if given.command == "build":
        results[BOARD] = build(folder, cores, given.operations)
    else:
        results |= simulate(folder, cores, given.operations)
    file.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
