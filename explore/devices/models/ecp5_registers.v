
// A flip-flop that a core asks for by name, for simulators that have no models of the family: what
// synthesis makes of other registers has yosys's own. With rising clock, synchronous reset to 0 and
// no global one; anything else stops the elaboration.
module TRELLIS_FF(CLK, LSR, CE, DI, Q);
	parameter GSR = "DISABLED";
	parameter CEMUX = "CE";
	parameter CLKMUX = "CLK";
	parameter LSRMUX = "LSR";
	parameter REGSET = "RESET";
	input CLK, LSR, CE, DI;
	output reg Q;

	initial Q = 0;
	always @(posedge CLK) if (LSR) Q <= 0; else if (CEMUX == "1" || CE) Q <= DI;

	generate
		if (GSR != "DISABLED" || (CEMUX != "1" && CEMUX != "CE") || CLKMUX != "CLK"
				|| LSRMUX != "LSR" || REGSET != "RESET")
			TRELLIS_FF_with_these_parameters_is_not_modelled unknown();
	endgenerate
endmodule
