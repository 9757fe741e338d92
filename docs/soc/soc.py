#!/usr/bin/env python3
"""A LiteX SoC with four cores on its bus, whose program checks them against OpenSSL.

The cores: RSA-2048 with CRT, multiples of points of P-256, X25519, and ECDSA verification on P-256.
The program on the SoC's CPU, a VexRiscv, drives each by the driver in C, compares what comes with
what OpenSSL found, and provokes what the registers can say. ``simulate`` runs the SoC in Verilator.
``show`` prints what was measured.

    python docs/soc/soc.py simulate

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
#: Where the cores are on the bus, where accesses are not cached.
ORIGINS = {name: 0x90000000 + 0x10000 * number for number, name in enumerate(CORES)}
#: What ends what the program prints.
ENDS = ("all is right", "something is wrong")
PACKAGES = ("litex==2024.12 migen pythondata-cpu-vexriscv pythondata-misc-tapcfg "
            "pythondata-software-picolibc pythondata-software-compiler-rt meson ninja "
            "'setuptools<81'")
#: Modules and programs that a command needs, and what to install for each.
NEEDS = {"simulate": ({"litex": PACKAGES, "migen": PACKAGES}, {
    "riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf",
    "verilator": "verilator g++"}), "show": ({}, {})}


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
    for name in cores:
        if not (folder / name / f"{name}_litex.py").exists():
            subprocess.run(["montgomery", "export", *CORES[name].split(), "--bus", "wishbone",
                            "--clear", "--name", name, "--vectors", "0", "--output",
                            str(folder / name)], check=True)


def system(platform, folder, cores, **more):
    """Return a SoC with cores on its bus; its program has a ROM."""
    from litex.soc.integration.soc_core import SoCCore

    soc = SoCCore(platform, 1_000_000, cpu_type="vexriscv", cpu_variant="standard",
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


def show(results):
    """Print what was measured as a table in Markdown."""
    print("| core | operations, all right | clocks of each |\n|---|---|---|")
    for name, row in results.items():
        print(f"| `{name}`: `{CORES[name]}` | {row['operations']:,} | {row['clocks']:,} |")


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
    export(folder / "cores", cores)
    measured = simulate(folder, cores, given.operations)
    results = {name: (results | measured)[name] for name in CORES if name in results | measured}
    file.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
