// Multiplier of numbers of 18 bits, signed or unsigned, with registers that are reset by the clock.
// All are 0 at first. An asynchronous or a global reset stops the elaboration. As in yosys's
// share/lattice/cells_sim_nexus.v.
module MULT18X18(
		input [17:0] A, B,
		input CLK, CEA, RSTA, CEB, RSTB, SIGNEDA, SIGNEDB, RSTOUT, CEOUT,
		output [35:0] Z);
	parameter REGINPUTA = "REGISTER";
	parameter REGINPUTB = "REGISTER";
	parameter REGOUTPUT = "REGISTER";
	parameter GSR = "ENABLED";
	parameter RESETMODE = "SYNC";

	generate
		if ((REGINPUTA != "REGISTER" && REGINPUTA != "BYPASS")
				|| (REGINPUTB != "REGISTER" && REGINPUTB != "BYPASS")
				|| (REGOUTPUT != "REGISTER" && REGOUTPUT != "BYPASS")) begin : g1
			MULT18X18_with_these_registers_is_not_modelled unmodelled();
		end
		if (GSR != "DISABLED" || RESETMODE != "SYNC") begin : g2
			MULT18X18_with_this_reset_is_not_modelled unmodelled();
		end
	endgenerate

	// With 19 bits, both kinds of operand are signed numbers.
	wire signed [18:0] extended_a = {SIGNEDA & A[17], A};
	wire signed [18:0] extended_b = {SIGNEDB & B[17], B};
	reg signed [18:0] a_late, b_late;
	reg [35:0] z_late;
	initial a_late = 0;
	initial b_late = 0;
	initial z_late = 0;
	wire signed [18:0] a = REGINPUTA == "REGISTER" ? a_late : extended_a;
	wire signed [18:0] b = REGINPUTB == "REGISTER" ? b_late : extended_b;
	wire signed [37:0] product = a * b;
	always @(posedge CLK) begin
		if (RSTA) a_late <= 0; else if (CEA) a_late <= extended_a;
		if (RSTB) b_late <= 0; else if (CEB) b_late <= extended_b;
		if (RSTOUT) z_late <= 0; else if (CEOUT) z_late <= product[35:0];
	end
	assign Z = REGOUTPUT == "REGISTER" ? z_late : product[35:0];
endmodule
