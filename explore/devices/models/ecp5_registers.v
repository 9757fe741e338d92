
// A flip-flop that a core asks for by name, for simulators that have no models of the family: what
// synthesis makes of other registers has yosys's own. Without global reset; with it, the
// elaboration stops.
module FD1S3AX(D, CK, Q);
	parameter GSR = "ENABLED";
	input D, CK;
	output reg Q;

	initial Q = 0;
	always @(posedge CK) Q <= D;

	generate
		if (GSR != "DISABLED") begin : g1
			FD1S3AX_with_global_reset_is_not_modelled unknown();
		end
	endgenerate
endmodule
