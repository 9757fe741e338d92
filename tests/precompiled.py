"""The header that all simulations include, which takes g++ longer to read than a small core."""

import fcntl
import subprocess

from explore.simulation.build import DRIVER, compile_spec
from explore.store.artefacts import digest
from explore.tools.find import packaged

__all__ = ["precompiled_header"]


def precompiled_header(compiler, kept):
    """Return a header that g++ has read already, below a folder that several processes may share.

    The first of them has it read. For the others it is a plain header until that is done. The name
    of its folder is a hash of the compiler and of what that reads.
    """
    # With what the driver defines before. Verilator has headers of its own.
    lines = DRIVER.read_text().splitlines()
    lines = ["#ifndef VERILATOR", *lines[:lines.index("#include <cxxrtl/cxxrtl.h>") + 1], "#endif"]
    yosys = packaged("yosys")
    spec = compile_spec("", [])
    flags = [*(flag for flag in spec["flags"] if flag != "-shared"),
             f"-I{yosys.folder / 'share/include/backends/cxxrtl/runtime'}"]
    named = digest("\n".join([compiler.identity, yosys.version, *flags, *lines]))
    header = kept / f"header-{named[:16]}" / "simulation.h"
    made = header.with_suffix(".h.gch")
    made.mkdir(parents=True, exist_ok=True)
    if not header.exists():
        header.write_text("\n".join(lines) + "\n")
    with (header.parent / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return header
        # For small cores, and without optimisation; g++ takes the one that suits.
        for number in (0, -1):
            name, more = f"level{number}", spec["levels"][number][1]
            if not (made / name).exists():
                partial = header.parent / name
                subprocess.run([*compiler.command, *flags, *more, "-x", "c++-header", header,
                                "-o", partial], check=True)
                partial.replace(made / name)
    return header
