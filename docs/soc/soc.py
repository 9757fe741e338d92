#!/usr/bin/env python3
"""A LiteX SoC with four cores on its bus, whose program checks them against OpenSSL.

The cores: RSA-2048 with CRT, multiples of points of P-256, X25519, and ECDSA verification on P-256.
The program on the SoC's CPU, a VexRiscv, opens each by the driver in C, signs, derives secrets and
verifies, and compares with what OpenSSL found. ``simulate`` runs the SoC in Verilator.

    python docs/soc/soc.py simulate

docs/systems.md says what has to be installed.
"""

import argparse
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Names of the cores, and how they are made.
CORES = {
    "rsa": "-a rsa_crt.dsp_systolic -n 2048",
    "p256": "-a scalar_multiplication.generic -n 256 -p multiplier=dsp_systolic",
    "x25519": "-a key_agreement.generic -n 255 -p multiplier=single_dsp -p word_width=17",
    "ecdsa": "-a ecdsa_verification.wide -n 256"}
#: Where the cores are on the bus, where accesses are not cached.
ORIGINS = {name: 0x90000000 + 0x10000 * number for number, name in enumerate(CORES)}
#: What ends what the program prints.
ENDS = ("all is right", "something is wrong")
PACKAGES = ("litex==2024.12 litedram==2024.12 liteeth==2024.12 litescope==2024.12 "
            "migen pythondata-cpu-vexriscv pythondata-misc-tapcfg "
            "pythondata-software-picolibc pythondata-software-compiler-rt meson ninja "
            "'setuptools<81'")


def check():
    """End with one line that says what is missing."""
    lacks = [f"pip install {PACKAGES}"] * (
        importlib.util.find_spec("litex") is None or importlib.util.find_spec("migen") is None)
    wanted = {"riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf",
              "verilator": "verilator libevent-dev libjson-c-dev"}
    packages = [package for program, package in wanted.items() if not shutil.which(program)]
    if packages:
        lacks.append(f"apt-get install {' '.join(packages)}")
    if lacks:
        sys.exit(f"{Path(__file__).name} needs more programs; install them by: {'; '.join(lacks)}")


def export(folder):
    """Write the cores as Verilog, with the driver, unless they are there."""
    for name, words in CORES.items():
        if not (folder / name / f"{name}.v").exists():
            subprocess.run(["montgomery", "export", *words.split(), "--bus", "wishbone", "--name",
                            name, "--vectors", "0", "--output", str(folder / name)],
                           check=True)


def add_cores(soc, platform, folder):
    """Put the cores on the bus of a SoC."""
    for name in CORES:
        spec = importlib.util.spec_from_file_location(name, folder / name / f"{name}_litex.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.add(soc, platform, origin=ORIGINS[name])


def compile_program(build, cores, operations):
    """Compile the program for the SoC, and return its bytes."""
    folder = build / "program"
    folder.mkdir(parents=True, exist_ok=True)
    from inputs import write

    write(folder / "inputs.h", operations)
    for file in (HERE / "main.c", HERE / "Makefile", cores / "rsa" / "montgomery.c",
                 cores / "rsa" / "montgomery.h", *(cores / name / f"{name}.h" for name in CORES)):
        shutil.copy(file, folder)
    (folder / "cores.h").write_text("".join(
        f"#define {name.upper()}_ORIGIN {origin:#x}u\n" for name, origin in ORIGINS.items()))
    subprocess.run(["make", "-s", "-C", str(folder), f"BUILD_DIR={build}"], check=True)
    return folder / "program.bin"


def simulate(folder, cores, operations):
    """Run the SoC in Verilator until its program ends; return whether all was right."""
    from litex.build.sim.config import SimConfig
    from litex.soc.integration.builder import Builder
    from litex.soc.integration.common import get_mem_data
    from litex.tools.litex_sim import SimSoC

    build = folder / "simulation"

    def built(program):
        contents = get_mem_data(str(program), endianness="little") if program else []
        soc = SimSoC(cpu_type="vexriscv", cpu_variant="standard", integrated_main_ram_size=0x80000,
                     integrated_main_ram_init=contents, integrated_rom_size=0x20000,
                     integrated_sram_size=0x8000, uart_name="sim")
        soc.add_constant("ROM_BOOT_ADDRESS", soc.mem_map["main_ram"])
        add_cores(soc, soc.platform, cores)
        return Builder(soc, output_dir=str(build), compile_gateware=bool(program))

    config = SimConfig()
    config.add_clocker("sys_clk", freq_hz=1_000_000)
    config.add_module("serial2console", "serial")
    built(None).build(run=False, build=False)
    program = compile_program(build, cores, operations)
    built(program).build(sim_config=config, interactive=False, run=False, build=True,
                         opt_level="O3", jobs=2)
    subprocess.run(["bash", "build_sim.sh"], cwd=build / "gateware", check=True)
    process = subprocess.Popen(["./obj_dir/Vsim"], cwd=build / "gateware", text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL)
    try:
        for line in process.stdout:
            print(line, end="", flush=True)
            if any(end in line for end in ENDS):
                return ENDS[0] in line
    finally:
        process.kill()
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["simulate"])
    parser.add_argument("--operations", type=int, default=1, metavar="N",
                        help="operations of each core (default 1)")
    parser.add_argument("--output", type=Path, default=Path("soc"), metavar="DIR",
                        help="folder for all that is made (default soc)")
    given = parser.parse_args()
    check()
    sys.path.insert(0, str(HERE))
    folder = given.output.resolve()
    cores = folder / "cores"
    export(cores)
    sys.exit(not simulate(folder, cores, given.operations))


if __name__ == "__main__":
    main()
