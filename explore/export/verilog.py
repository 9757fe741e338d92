"""From a core to Verilog, by yosys, and from templates to other files; names in Verilog."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import Value
from amaranth.hdl._ir import PortDirection
from amaranth.lib.wiring import Component, In

from montgomery.technology import Technology

from ..errors import Refusal
from ..store.artefacts import output
from ..tools.toolbox import Toolbox

__all__ = ["KEYWORDS", "During", "check_name", "declared", "document", "ports", "render",
           "verilog"]


#: Called with what is done within the context, which may take long.
During = Callable[[str], contextlib.AbstractContextManager[object]]

#: What yosys may take; for the largest cores it takes minutes.
_LIMIT_S = 3600

# Without processes: a simulator runs an "always @*" when something changes, which at the beginning
# of a simulation nothing does, so that registers would become x. And without multiplexers of many
# inputs, which become functions whose names not every simulator takes. A memory of one word is a
# register, which yosys would warn of when it reads the core again.
_SCRIPT = """\
read_rtlil core.il
proc -norom
pmuxtree
techmap -map widths.v
opt_clean -purge
memory_collect
memory_map r:SIZE=1
attrmap -remove generator -remove top -remove src -remove keep
attrmap -modattr -remove generator -remove top -remove src
write_verilog -norename core.v
"""

#: A register with the value that it has after configuration.
_INITIAL = re.compile(r"(?m)^(  reg (?:signed )?(?:\[\d+:\d+\] )?)(\\\S+ |\w+) = (.*);$")


def verilog(component: Component, name: str, technology: Technology | None = None, *,
            toolbox: Toolbox, during: During = contextlib.nullcontext) -> tuple[str, list[str]]:
    """Return a core as Verilog-2005, and the types of cells that it holds without defining them.

    Its modules are named ``name`` and, below it, ``name.…``.
    """

    with during(f"elaborating {name}"):
        text = rtlil.convert(component, name=name, platform=technology, emit_src=False,
                             ports=ports(component))
    toolbox.warm("yosys", packaged=True)
    with during(f"writing {name} as Verilog"), tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "core.il").write_text(text)
        (folder / "script.ys").write_text(_SCRIPT)
        (folder / "widths.v").write_text(render("widths.v", {}))
        toolbox.run("yosys", ["-q", "script.ys"], folder, _LIMIT_S, packaged=True)
        written = output(folder, "core.v", "yosys").decode()
    # Verilator finds fault with a value beside the declaration of what a process writes.
    return _INITIAL.sub(r"\1\2;\n  initial \2 = \3;", written), _undefined(text, name)


def ports(component: Component) -> dict[str, tuple[Value, PortDirection]]:
    """Return the ports of a core, by names that VHDL, C and C++ have as well."""
    found: dict[str, tuple[Value, PortDirection]] = {}
    for path, member, value in component.signature.flatten(component):
        name = re.sub("_+", "_", "_".join(map(str, path))).strip("_")
        if name in {*found, "clk", "rst"}:
            raise Refusal(f"Two ports of the core would be named {name}; rename one of them")
        found[name] = Value.cast(value), (
            PortDirection.Input if member.flow == In else PortDirection.Output)
    return found


def _undefined(text: str, name: str) -> list[str]:
    """Return the types of the instances in an RTLIL text that are none of the core's modules."""
    types = set(re.findall(r"(?m)^\s*cell \\(\S+) ", text))
    return sorted(cell for cell in types if not cell.startswith(f"{name}."))


def render(template: str, context: Mapping[str, Any]) -> str:
    """Return a template with what it asks for; ``template`` is the name of what it becomes."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("explore.export"), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    return environment.get_template(f"{template}.j2").render(context)


def document(context: Mapping[str, Any], template: str = "document.md") -> str:
    """Return the documentation of a core, with Python functions for its words in it."""
    return render(template, {**context, "helper": render("helper.py", context)})


#: With an ending it is the name of a file, of which systems take 255 characters.
_LONGEST = 200
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

#: Reserved words of SystemVerilog, those of Verilog among them: IEEE Std 1800-2017, table B.1.
KEYWORDS = frozenset(
    Path(__file__).with_name("keywords.txt").read_text(encoding="utf-8").split())


def check_name(name: str, default: str) -> None:
    """Refuse a name that is no simple identifier, too long, or a keyword; offer ``default``."""
    if not _NAME.fullmatch(name):
        raise Refusal(f"The name must be letters, digits and underscores that do not begin with "
                      f"a digit, not '{name}'; '{default}' would do")
    if len(name) > _LONGEST:
        raise Refusal(f"The name must have {_LONGEST} characters or fewer, not {len(name)}; "
                      "take a shorter one")
    if name in KEYWORDS:
        raise Refusal(f"The name must be no keyword of SystemVerilog, unlike '{name}'; "
                      f"'{name}_core' would do")


def declared(source: str) -> set[str]:
    """Return the names of the modules, ports, signals and constants of a Verilog source."""
    return {*re.findall(r"(?m)^\s*module\s+\\?([^\s(;#]+)", source),
            *re.findall(r"(?m)^\s*(?:reg|wire|integer|localparam)\b\s*(?:\[[^\]]*\]\s*)?(\w+)",
                        source),
            *re.findall(r"\.(\w+)\(", source), *re.findall(r"(?m)^\s*\w+ (\w+) \($", source)}
