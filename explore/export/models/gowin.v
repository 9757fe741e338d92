// Multiplier of unsigned numbers of 18 bits: registers of the operands, behind the multiplication
// and at the output, with one clock enable and one reset by the clock. All are 0 at first. Other
// forms stop the elaboration; DOUT is unknown where a sign or the operands of a neighbour are
// asked for. After UG287, Gowin DSP User Guide: MULT18X18, not verified against the wording of a
// current edition; yosys has no model.
module MULT18X18(
		input [17:0] A, SIA, B, SIB,
		input ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
		output [35:0] DOUT);
	parameter AREG = 1'b0;
	parameter BREG = 1'b0;
	parameter PIPE_REG = 1'b0;
	parameter OUT_REG = 1'b0;
	parameter ASIGN_REG = 1'b0;
	parameter BSIGN_REG = 1'b0;
	parameter SOA_REG = 1'b0;
	parameter MULT_RESET_MODE = "SYNC";

	generate
		if (ASIGN_REG || BSIGN_REG || SOA_REG || MULT_RESET_MODE != "SYNC") begin : g1
			MULT18X18_with_these_parameters_is_not_modelled unmodelled();
		end
	endgenerate

	reg [17:0] a_late, b_late;
	reg [35:0] product_late, out_late;
	initial a_late = 0;
	initial b_late = 0;
	initial product_late = 0;
	initial out_late = 0;
	wire [17:0] a = AREG ? a_late : A;
	wire [17:0] b = BREG ? b_late : B;
	wire [35:0] product = PIPE_REG ? product_late : a * b;
	always @(posedge CLK)
		if (RESET) begin
			a_late <= 0;
			b_late <= 0;
			product_late <= 0;
			out_late <= 0;
		end else if (CE) begin
			a_late <= A;
			b_late <= B;
			product_late <= a * b;
			out_late <= product;
		end

	wire other = ASIGN | BSIGN | ASEL | BSEL;
	assign DOUT = other ? 36'bx : OUT_REG ? out_late : product;
endmodule
