// Behavioural model of the block RAM of 7-series devices (and Virtex-6), of which yosys knows only
// ports and timing: RAMB18E1 with two ports that read and write. Ports and parameters are those of
// yosys's share/xilinx/cells_sim.v, less what is not modelled. All other cells are yosys's own.
//
// The rules are those of ecp5.v. What is not modelled stops the elaboration: contents (INIT_xx),
// simple dual port, inverted pins, widths that differ, and write modes other than NO_CHANGE.
//
// Source: UG473, 7 Series FPGAs Memory Resources: "Block RAM Library Primitives", "NO_CHANGE Mode",
// "Optional Output Registers", "Byte-Wide Write Enable"; not verified against the wording of a
// current edition. Port widths of 18 bits have a write enable for each byte, narrower ones take
// that of the lower byte here, and a design that drives them differently fails (POISON).

module RAMB18E1_PORT_OUT(CLK, REGCE, RSTREG, D, Q);
	parameter REGISTERED = 0;
	input CLK, REGCE, RSTREG;
	input [17:0] D;
	output [17:0] Q;
	reg [17:0] register;
	initial register = 0;
	assign Q = REGISTERED ? register : D;
	always @(posedge CLK) if (RSTREG) register <= 0; else if (REGCE) register <= D;
endmodule

module RAMB18E1(
		CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB, RSTRAMARSTRAM, RSTRAMB,
		RSTREGARSTREG, RSTREGB, ADDRARDADDR, ADDRBWRADDR, DIADI, DIBDI, DIPADIP, DIPBDIP, WEA,
		WEBWE, DOADO, DOBDO, DOPADOP, DOPBDOP);
	parameter integer DOA_REG = 0;
	parameter integer DOB_REG = 0;
	parameter RAM_MODE = "TDP";
	parameter integer READ_WIDTH_A = 0;
	parameter integer READ_WIDTH_B = 0;
	parameter integer WRITE_WIDTH_A = 0;
	parameter integer WRITE_WIDTH_B = 0;
	parameter WRITE_MODE_A = "WRITE_FIRST";
	parameter WRITE_MODE_B = "WRITE_FIRST";
	parameter SIM_DEVICE = "VIRTEX6";
	input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB, RSTRAMARSTRAM, RSTRAMB,
	      RSTREGARSTREG, RSTREGB;
	input [13:0] ADDRARDADDR, ADDRBWRADDR;
	input [15:0] DIADI, DIBDI;
	input [1:0] DIPADIP, DIPBDIP;
	input [1:0] WEA;
	input [3:0] WEBWE;
	output [15:0] DOADO, DOBDO;
	output [1:0] DOPADOP, DOPBDOP;

	localparam WIDTH = READ_WIDTH_A;
	localparam SHIFT = WIDTH == 18 ? 4 : WIDTH == 9 ? 3 : WIDTH == 4 ? 2 : WIDTH == 2 ? 1 : 0;
	generate
		if (WIDTH != 1 && WIDTH != 2 && WIDTH != 4 && WIDTH != 9 && WIDTH != 18) begin : g1
			RAMB18E1_with_this_READ_WIDTH_A_is_not_modelled unmodelled();
		end
		if (READ_WIDTH_B != WIDTH || WRITE_WIDTH_A != WIDTH || WRITE_WIDTH_B != WIDTH) begin : g2
			RAMB18E1_with_widths_that_differ_is_not_modelled unmodelled();
		end
		if (RAM_MODE != "TDP") begin : g3
			RAMB18E1_with_this_RAM_MODE_is_not_modelled unmodelled();
		end
		if (WRITE_MODE_A != "NO_CHANGE" || WRITE_MODE_B != "NO_CHANGE") begin : g4
			RAMB18E1_with_this_WRITE_MODE_is_not_modelled unmodelled();
		end
	endgenerate

	reg [WIDTH-1:0] words [0:(1 << (14 - SHIFT))-1];
	integer n;
	initial for (n = 0; n < 1 << (14 - SHIFT); n = n + 1) words[n] = 0;

	wire [13-SHIFT:0] address_a = ADDRARDADDR[13:SHIFT];
	wire [13-SHIFT:0] address_b = ADDRBWRADDR[13:SHIFT];
	wire [17:0] lanes_a, lanes_b;
	generate
		if (WIDTH == 18) begin : g5
			assign lanes_a = {DIPADIP[1], DIADI[15:8], DIPADIP[0], DIADI[7:0]};
			assign lanes_b = {DIPBDIP[1], DIBDI[15:8], DIPBDIP[0], DIBDI[7:0]};
		end else begin : g6
			assign lanes_a = {9'd0, DIPADIP[0], DIADI[7:0]};
			assign lanes_b = {9'd0, DIPBDIP[0], DIBDI[7:0]};
		end
	endgenerate
	// POISON: bytes that are written apart from each other.
	wire [WIDTH-1:0] to_write_a = WEA == 2'b11 ? lanes_a[WIDTH-1:0] : ~lanes_a[WIDTH-1:0];
	wire [WIDTH-1:0] to_write_b = WEBWE == 4'b1111 ? lanes_b[WIDTH-1:0] : ~lanes_b[WIDTH-1:0];

	reg [17:0] latch_a, latch_b;
	initial latch_a = 0;
	initial latch_b = 0;
	always @(posedge CLKARDCLK)
		if (ENARDEN) begin
			if (WEA != 0) words[address_a] <= to_write_a;
			if (RSTRAMARSTRAM) latch_a <= 0;
			else if (WEA == 0) latch_a <= words[address_a];
		end
	always @(posedge CLKBWRCLK)
		if (ENBWREN) begin
			if (WEBWE != 0) words[address_b] <= to_write_b;
			if (RSTRAMB) latch_b <= 0;
			else if (WEBWE == 0) latch_b <= words[address_b];
		end

	wire [17:0] out_a, out_b;
	RAMB18E1_PORT_OUT #(.REGISTERED(DOA_REG)) port_a(
		.CLK(CLKARDCLK), .REGCE(REGCEAREGCE), .RSTREG(RSTREGARSTREG), .D(latch_a), .Q(out_a));
	RAMB18E1_PORT_OUT #(.REGISTERED(DOB_REG)) port_b(
		.CLK(CLKBWRCLK), .REGCE(REGCEB), .RSTREG(RSTREGB), .D(latch_b), .Q(out_b));
	generate
		if (WIDTH == 18) begin : g7
			assign DOADO = {out_a[16:9], out_a[7:0]};
			assign DOPADOP = {out_a[17], out_a[8]};
			assign DOBDO = {out_b[16:9], out_b[7:0]};
			assign DOPBDOP = {out_b[17], out_b[8]};
		end else begin : g8
			assign DOADO = {8'd0, out_a[7:0]};
			assign DOPADOP = {1'd0, out_a[8]};
			assign DOBDO = {8'd0, out_b[7:0]};
			assign DOPBDOP = {1'd0, out_b[8]};
		end
	endgenerate
endmodule
