"""Names of exported modules: which ones a tool would not take."""

from __future__ import annotations

import re

from ..errors import Refusal

__all__ = ["KEYWORDS", "check_name", "declared"]

#: With an ending it is the name of a file, of which systems take 255 characters.
_LONGEST = 200
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_WORDS = """
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before
begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class
clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign
default defparam design disable dist do edge else end endcase endchecker endclass endclocking
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram
endproperty endsequence endspecify endtable endtask enum event eventually expect export extends
extern final first_match for force foreach forever fork forkjoin function generate genvar global
highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include
initial inout input inside instance int integer interconnect interface intersect join join_any
join_none large let liblist library local localparam logic longint macromodule matches medium
modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or
output package packed parameter pmos posedge primitive priority program property protected pull0
pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence
rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0
rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct
super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time
timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union
unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order
wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""
#: Reserved words of SystemVerilog, those of Verilog among them: IEEE Std 1800-2017, table B.1.
KEYWORDS = frozenset(_WORDS.split())


def check_name(name: str, default: str) -> None:
    """Check that a module may have a name.

    Raises
    ------
    ValueError
        If it is no simple identifier, too long, or a keyword; ``default`` is offered in its place.
    """
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
