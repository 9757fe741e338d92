// Two bits of a carry chain: each is a LUT4, exclusive or the carry that comes to it. Where the
// LUT4 is 0, the carry that leaves is what the LUT4 would be with C = D = 0. With a carry into both
// bits (INJECT1_x "NO"); anything else stops the elaboration. As in yosys's
// share/lattice/ccu2c_sim.vh.
module CCU2C(
		input CIN, A0, B0, C0, D0, A1, B1, C1, D1,
		output S0, S1, COUT);
	parameter [15:0] INIT0 = 0;
	parameter [15:0] INIT1 = 0;
	parameter INJECT1_0 = "YES";
	parameter INJECT1_1 = "YES";

	generate
		if (INJECT1_0 != "NO" || INJECT1_1 != "NO") begin : g1
			CCU2C_with_this_INJECT1_is_not_modelled unmodelled();
		end
	endgenerate

	// One input after the other, so that an input that is unknown only matters where it has a say.
	wire [7:0] by_d0 = D0 ? INIT0[15:8] : INIT0[7:0];
	wire [7:0] by_d1 = D1 ? INIT1[15:8] : INIT1[7:0];
	wire [3:0] by_c0 = C0 ? by_d0[7:4] : by_d0[3:0];
	wire [3:0] by_c1 = C1 ? by_d1[7:4] : by_d1[3:0];
	wire [1:0] by_b0 = B0 ? by_c0[3:2] : by_c0[1:0];
	wire [1:0] by_b1 = B1 ? by_c1[3:2] : by_c1[1:0];
	wire lut0 = A0 ? by_b0[1] : by_b0[0];
	wire lut1 = A1 ? by_b1[1] : by_b1[0];
	wire [1:0] low_b0 = B0 ? INIT0[3:2] : INIT0[1:0];
	wire [1:0] low_b1 = B1 ? INIT1[3:2] : INIT1[1:0];
	wire generated0 = A0 ? low_b0[1] : low_b0[0];
	wire generated1 = A1 ? low_b1[1] : low_b1[0];

	wire between = lut0 ? CIN : generated0;
	assign S0 = lut0 ^ CIN;
	assign S1 = lut1 ^ between;
	assign COUT = lut1 ? between : generated1;
endmodule
