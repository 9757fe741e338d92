"""Lattice Nexus."""

from __future__ import annotations

from ._shared import PORTS, abc_flow, capacity, multipliers, placer_weight, widelut
from .model import Family, Limit, Target

__all__ = ["TARGETS"]

# The first cell of a chain ignores its carry input, which yosys ties to 0 all the same (its issue
# 5639), and nextpnr refuses a carry from elsewhere than a chain. So it is disconnected again.
_CHAINS = (
    "design -save mapped", "design -reset",
    """read_verilog <<END
module VLO(output Z); assign Z = 1'b0; endmodule
module VHI(output Z); assign Z = 1'b1; endmodule
END""",
    "design -save constants", "design -reset",
    """read_verilog <<END
module CCU2(input CIN, A1, B1, C1, D1, A0, B0, C0, D0, output S1, S0, COUT);
    parameter INJECT = "YES";
    parameter INIT0 = "0x0000";
    parameter INIT1 = "0x0000";
    parameter _TECHMAP_CONSTMSK_CIN_ = 1'b0;
    wire _TECHMAP_FAIL_ = !_TECHMAP_CONSTMSK_CIN_ || INIT0 != "0xFFFF" || INIT1 != "0x00AA";
    CCU2 #(.INJECT(INJECT), .INIT0(INIT0), .INIT1(INIT1)) _TECHMAP_REPLACE_ (
        .A1(A1), .B1(B1), .C1(C1), .D1(D1), .A0(A0), .B0(B0), .C0(C0), .D0(D0),
        .S1(S1), .S0(S0), .COUT(COUT));
endmodule
END""",
    "design -save chains", "design -load mapped", "techmap -map %constants", "clean",
    "techmap -map %chains", "clean", "hilomap -singleton -hicell VHI Z -locell VLO Z", "clean",
    "autoname")

# As on ECP5, but that a WIDEFN9 is two LUT4 and what joins them.
_NEXUS = Family(
    name="nexus", placer="nextpnr-nexus", extra="nexus", synth="synth_nexus",
    inner_args=("-noiopad",), lut_name="LUT4", finish=_CHAINS,
    area={"LUT4": {"lut": 1}, "WIDEFN9": {"lut": 2}, "CCU2": {"lut": 2}, "DPR16X4": {"lut": 6},
          "FD1P3*": {"ff": 1}, "MULT9X9": {"dsp": 1}, "MULT18X18": {"dsp": 1},
          "MULT18X36": {"dsp": 2}, "MULT36X36": {"dsp": 4}, "DP16K_MODE": {"bram": 1},
          "PDP16K_MODE": {"bram": 1}, "PDPSC16K_MODE": {"bram": 1}},
    options={"abc": abc_flow("flow3"), "placer_weight": placer_weight(10),
             "multipliers": multipliers(logic=("-nodsp",)), "widelut": widelut()},
    suffixes=(r"LUT\d_", "CCU2_", "FD1P3.X_"), carries=("FCO",))

#: The first one is a clock input.
_PINS = ("E12", "G14", "E17")
TARGETS = (
    Target(name="nexus-lifcl-40", family=_NEXUS, technology="nexus",
           summary="Lattice LIFCL-40, CABGA400, speed grade 9",
           device_args=("--device", "LIFCL-40-9BG400C", "--pdc", "pins.pdc"),
           files={"pins.pdc": "".join(f"ldc_set_location -site {{{pin}}} [get_ports {port}]\n"
                                      for port, pin in zip(PORTS, _PINS, strict=True))},
           limits=(Limit(what="clock", mhz=400.0, verified=False,
                         source="FPGA-DS-02049 (CrossLink-NX data sheet), primary clock"),),
           capacity=capacity(32256, 56, 84)),
)
