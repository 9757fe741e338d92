// Block RAM with a port that reads and one that writes, as words of 16, 8, 4 or 2 bits. A word that
// is read in the clock in which it is written is the old one. Both ports have the same mode; other
// modes, and contents (INIT_x), stop the elaboration. MASK is for words of 16 bits. As in yosys's
// share/ice40/cells_sim.v: what is read is unknown before the first clock that reads.
module SB_RAM40_4K(
		output [15:0] RDATA,
		input RCLK, RCLKE, RE,
		input [10:0] RADDR,
		input WCLK, WCLKE, WE,
		input [10:0] WADDR,
		input [15:0] MASK, WDATA);
	parameter integer READ_MODE = 0;
	parameter integer WRITE_MODE = 0;
	localparam WIDTH = 16 >> WRITE_MODE;
	// The pins of a word lie so far apart, from this one on.
	localparam APART = 1 << WRITE_MODE;
	localparam FIRST = APART == 1 ? 0 : APART / 2 - 1;

	generate
		if (READ_MODE != WRITE_MODE || WRITE_MODE < 0 || WRITE_MODE > 3) begin : g1
			SB_RAM40_4K_with_these_modes_is_not_modelled unmodelled();
		end
	endgenerate

	reg [WIDTH-1:0] words [0:(256 << WRITE_MODE)-1];
	integer word;
	initial for (word = 0; word < 256 << WRITE_MODE; word = word + 1) words[word] = 0;

	wire [7+WRITE_MODE:0] from = RADDR[7+WRITE_MODE:0];
	wire [7+WRITE_MODE:0] to = WADDR[7+WRITE_MODE:0];
	wire [WIDTH-1:0] kept = WRITE_MODE == 0 ? MASK[WIDTH-1:0] : {WIDTH{1'b0}};
	wire [WIDTH-1:0] data;
	reg [WIDTH-1:0] found;
	always @(posedge WCLK) if (WCLKE && WE) words[to] <= (kept & words[to]) | (~kept & data);
	always @(posedge RCLK) if (RCLKE && RE) found <= words[from];

	genvar pin;
	generate
		for (pin = 0; pin < 16; pin = pin + 1) begin : pins
			if (pin % APART == FIRST) begin : used
				assign data[pin / APART] = WDATA[pin];
				assign RDATA[pin] = found[pin / APART];
			end else begin : unused
				assign RDATA[pin] = 1'b0;
			end
		end
	endgenerate
endmodule

// Multiplier of unsigned numbers of 16 bits, with {C, D} added or not. Registers are 0 at first.
// Other forms stop the elaboration; and O is unknown where an input that must be 0 is not: those
// that hold, reset, load, subtract, and carries. As in yosys's share/ice40/cells_sim.v.
module SB_MAC16(
		input CLK, CE,
		input [15:0] C, A, B, D,
		input AHOLD, BHOLD, CHOLD, DHOLD, IRSTTOP, IRSTBOT, ORSTTOP, ORSTBOT, OLOADTOP, OLOADBOT,
		input ADDSUBTOP, ADDSUBBOT, OHOLDTOP, OHOLDBOT, CI, ACCUMCI, SIGNEXTIN,
		output [31:0] O);
	parameter [0:0] NEG_TRIGGER = 0;
	parameter [0:0] A_REG = 0;
	parameter [0:0] B_REG = 0;
	parameter [0:0] C_REG = 0;
	parameter [0:0] D_REG = 0;
	parameter [0:0] TOP_8x8_MULT_REG = 0;
	parameter [0:0] BOT_8x8_MULT_REG = 0;
	parameter [0:0] PIPELINE_16x16_MULT_REG1 = 0;
	parameter [0:0] PIPELINE_16x16_MULT_REG2 = 0;
	parameter [1:0] TOPOUTPUT_SELECT = 0;
	parameter [1:0] TOPADDSUB_LOWERINPUT = 0;
	parameter [0:0] TOPADDSUB_UPPERINPUT = 0;
	parameter [1:0] TOPADDSUB_CARRYSELECT = 0;
	parameter [1:0] BOTOUTPUT_SELECT = 0;
	parameter [1:0] BOTADDSUB_LOWERINPUT = 0;
	parameter [0:0] BOTADDSUB_UPPERINPUT = 0;
	parameter [1:0] BOTADDSUB_CARRYSELECT = 0;
	parameter [0:0] MODE_8x8 = 0;
	parameter [0:0] A_SIGNED = 0;
	parameter [0:0] B_SIGNED = 0;

	generate
		if (NEG_TRIGGER || C_REG || D_REG || MODE_8x8 || A_SIGNED || B_SIGNED
				|| TOP_8x8_MULT_REG != PIPELINE_16x16_MULT_REG1
				|| BOT_8x8_MULT_REG != PIPELINE_16x16_MULT_REG1) begin : g1
			SB_MAC16_with_these_registers_is_not_modelled unmodelled();
		end
		// The sum or its register, or the product.
		if (TOPOUTPUT_SELECT != BOTOUTPUT_SELECT || TOPOUTPUT_SELECT == 2) begin : g2
			SB_MAC16_with_this_OUTPUT_SELECT_is_not_modelled unmodelled();
		end
		// Product and {C, D}, with the carry of the lower half.
		if (TOPADDSUB_LOWERINPUT != 2 || BOTADDSUB_LOWERINPUT != 2 || !TOPADDSUB_UPPERINPUT
				|| !BOTADDSUB_UPPERINPUT || TOPADDSUB_CARRYSELECT != 3
				|| BOTADDSUB_CARRYSELECT != 0) begin : g3
			SB_MAC16_with_this_ADDSUB_is_not_modelled unmodelled();
		end
	endgenerate

	reg [15:0] a_late, b_late;
	reg [31:0] first, second, sum_late;
	initial a_late = 0;
	initial b_late = 0;
	initial first = 0;
	initial second = 0;
	initial sum_late = 0;
	wire [15:0] a = A_REG ? a_late : A;
	wire [15:0] b = B_REG ? b_late : B;
	wire [31:0] partial = PIPELINE_16x16_MULT_REG1 ? first : a * b;
	wire [31:0] product = PIPELINE_16x16_MULT_REG2 ? second : partial;
	wire [31:0] sum = product + {C, D};
	always @(posedge CLK)
		if (CE) begin
			a_late <= A;
			b_late <= B;
			first <= a * b;
			second <= partial;
			sum_late <= sum;
		end

	wire other = AHOLD | BHOLD | CHOLD | DHOLD | IRSTTOP | IRSTBOT | ORSTTOP | ORSTBOT | OLOADTOP
		| OLOADBOT | ADDSUBTOP | ADDSUBBOT | OHOLDTOP | OHOLDBOT | CI | ACCUMCI | SIGNEXTIN;
	assign O = other ? 32'bx : TOPOUTPUT_SELECT == 0 ? sum : TOPOUTPUT_SELECT == 1 ? sum_late
		: product;
endmodule
