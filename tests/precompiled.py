"""The header that all simulations include, which takes g++ longer to read than a small core."""

import subprocess

from explore.simulation.build import DRIVER, compile_spec
from explore.tools.find import packaged

__all__ = ["precompiled_header"]


def precompiled_header(compiler, folder):
    """Return a header that g++ has read already, in a folder that several processes may share.

    The first of them has it read. For the others it is a plain header until that is done.
    """
    header = folder / "simulation.h"
    try:
        folder.mkdir()
    except FileExistsError:
        return header
    # With what the driver defines before. Verilator has headers of its own.
    lines = DRIVER.read_text().splitlines()
    lines = ["#ifndef VERILATOR", *lines[:lines.index("#include <cxxrtl/cxxrtl.h>") + 1], "#endif"]
    header.write_text("\n".join(lines) + "\n")
    made = folder / "simulation.h.gch"
    made.mkdir()
    include = packaged("yosys").folder / "share/include/backends/cxxrtl/runtime"
    spec = compile_spec("", [])
    flags = [flag for flag in spec["flags"] if flag != "-shared"]
    # For small cores, and without optimisation; g++ takes the one that suits.
    for number in (0, -1):
        name, more = f"level{number}", spec["levels"][number][1]
        partial = folder / name
        subprocess.run([*compiler.command, *flags, *more, f"-I{include}", "-x", "c++-header",
                        header, "-o", partial], check=True)
        partial.replace(made / name)
    return header
