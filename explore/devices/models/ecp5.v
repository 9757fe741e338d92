// Behavioural models of the ECP5 blocks that yosys knows only as black boxes: the multiplier
// MULT18X18D, and the block RAM in its two forms DP16KD and PDPW16KD. Ports and parameters are
// those of yosys's share/lattice/cells_bb_ecp5.v, less what is not modelled.
//
// Rules:
// - What is not modelled stops the elaboration, and is never ignored. A parameter value that is not
//   modelled makes an instance of a module that does not exist, and whose name tells the reason; a
//   port that is not modelled does not exist.
// - CXXRTL knows 0 and 1 only. Where the block's result is undefined, or the sources differ, the
//   model gives the complement of what would be the natural answer: a design that leans on it
//   fails, and one that ignores it works. Such places say POISON.
// - One evaluation of CXXRTL settles all of it. So clock ports go straight to the registers, and
//   there are no adders, constants or repeated bits in the middle of vectors, for which yosys
//   drives the vector in pieces, which CXXRTL takes for feedback.
// - Connect every input that matters in the mode in use: what an open one is, nextpnr decides, and
//   here it is unknown, which yosys's optimisations take for whatever suits them.
// - No timing, and no global set/reset (GSR, PUR): all registers are 0 at the beginning.
//
// Sources, by the names used below. What is said to stand in [DS], [MEM] and [DSP] is not verified
// against the wording of a current edition; [MAP], [PNR] and [PRED] are.
// - [DS]   FPGA-DS-02012, ECP5 and ECP5-5G Family Data Sheet: "sysMEM Memory", "Single, Dual and
//          Pseudo-Dual Port Modes", "Memory Core Reset", "sysDSP Slice".
// - [MEM]  FPGA-TN-02204 (TN1264), ECP5 and ECP5-5G Memory Usage Guide: the primitives, their
//          attributes and waveforms.
// - [DSP]  FPGA-TN-02205 (TN1267), ECP5 and ECP5-5G sysDSP Usage Guide: MULT18X18D.
// - [PRED] How the maker's models of the blocks' predecessors behave where these documents say too
//          little: MULT18X18C and DP16KC of the LatticeECP3, and DP8KC of the MachXO2 (which has
//          RESETMODE). That the ECP5 does the same is an assumption.
// - [MAP]  yosys, share/lattice: brams_16kd.txt, brams_map_16kd.v, dsp_map_18x18.v.
// - [PNR]  nextpnr, ecp5/pack.cc: pack_ebr.

// A register of the multiplier with its choice of clock, clock enable and reset ([DSP] and [DS]:
// each of the input, pipeline and output registers selects one of four of each); "NONE" for no
// register. Reset wins over clock enable [PRED].
module ECP5_DSP_REGISTER(CLK3, CLK2, CLK1, CLK0, CE3, CE2, CE1, CE0, RST3, RST2, RST1, RST0, D, Q);
	parameter WIDTH = 1;
	parameter CLK = "NONE";
	parameter CE = "CE0";
	parameter RST = "RST0";
	parameter RESETMODE = "SYNC";
	input CLK3, CLK2, CLK1, CLK0, CE3, CE2, CE1, CE0, RST3, RST2, RST1, RST0;
	input [WIDTH-1:0] D;
	output [WIDTH-1:0] Q;

	wire ce = CE == "CE3" ? CE3 : CE == "CE2" ? CE2 : CE == "CE1" ? CE1 : CE0;
	wire rst = RST == "RST3" ? RST3 : RST == "RST2" ? RST2 : RST == "RST1" ? RST1 : RST0;
	reg [WIDTH-1:0] q;
	initial q = 0;
	assign Q = CLK == "NONE" ? D : q;

	generate
		if (RESETMODE == "SYNC") begin : g1
			if (CLK == "CLK0") begin : g2 always @(posedge CLK0) if (rst) q <= 0; else if (ce) q <= D; end
			if (CLK == "CLK1") begin : g3 always @(posedge CLK1) if (rst) q <= 0; else if (ce) q <= D; end
			if (CLK == "CLK2") begin : g4 always @(posedge CLK2) if (rst) q <= 0; else if (ce) q <= D; end
			if (CLK == "CLK3") begin : g5 always @(posedge CLK3) if (rst) q <= 0; else if (ce) q <= D; end
		end else begin : g6
			if (CLK == "CLK0") begin : g7
				always @(posedge CLK0 or posedge rst) if (rst) q <= 0; else if (ce) q <= D;
			end
			if (CLK == "CLK1") begin : g8
				always @(posedge CLK1 or posedge rst) if (rst) q <= 0; else if (ce) q <= D;
			end
			if (CLK == "CLK2") begin : g9
				always @(posedge CLK2 or posedge rst) if (rst) q <= 0; else if (ce) q <= D;
			end
			if (CLK == "CLK3") begin : g10
				always @(posedge CLK3 or posedge rst) if (rst) q <= 0; else if (ce) q <= D;
			end
		end
		if (CLK != "NONE" && CLK != "CLK0" && CLK != "CLK1" && CLK != "CLK2" && CLK != "CLK3") begin : g11
			MULT18X18D_with_this_REG_CLK_is_not_modelled unmodelled();
		end
		if (CE != "CE0" && CE != "CE1" && CE != "CE2" && CE != "CE3") begin : g12
			MULT18X18D_with_this_REG_CE_is_not_modelled unmodelled();
		end
		if (RST != "RST0" && RST != "RST1" && RST != "RST2" && RST != "RST3") begin : g13
			MULT18X18D_with_this_REG_RST_is_not_modelled unmodelled();
		end
		if (RESETMODE != "SYNC" && RESETMODE != "ASYNC") begin : g14
			MULT18X18D_with_this_RESETMODE_is_not_modelled unmodelled();
		end
	endgenerate
endmodule

// 18x18 multiplier. [DSP]: each operand signed or unsigned, from its port or from the neighbour's
// shift chain, with an optional register; an optional pipeline register after the array and an
// optional output register.
//
// The flags SIGNEDA and SIGNEDB travel through the registers of their operands, and SIGNEDP (either
// is signed) through the pipeline register but not through the output register [PRED]. ROA, ROB,
// SROA and SROB are the operands after their registers [PRED].
//
// Not modelled: the third operand C and all that needs it or shifts it (SOURCEB_MODE but B_SHIFT,
// REG_INPUTC_*, outputs ROC*; inputs C* may be connected and have no effect), CAS_MATCH_REG,
// MULT_BYPASS, HIGHSPEED_CLK and the divided clocks CLK*_DIV.
module MULT18X18D(
	A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0, B17, B16, B15,
	B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0, C17, C16, C15, C14, C13, C12,
	C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0, SIGNEDA, SIGNEDB, SOURCEA, SOURCEB, CLK3,
	CLK2, CLK1, CLK0, CE3, CE2, CE1, CE0, RST3, RST2, RST1, RST0, SRIA17, SRIA16, SRIA15, SRIA14,
	SRIA13, SRIA12, SRIA11, SRIA10, SRIA9, SRIA8, SRIA7, SRIA6, SRIA5, SRIA4, SRIA3, SRIA2, SRIA1,
	SRIA0, SRIB17, SRIB16, SRIB15, SRIB14, SRIB13, SRIB12, SRIB11, SRIB10, SRIB9, SRIB8, SRIB7,
	SRIB6, SRIB5, SRIB4, SRIB3, SRIB2, SRIB1, SRIB0, SROA17, SROA16, SROA15, SROA14, SROA13,
	SROA12, SROA11, SROA10, SROA9, SROA8, SROA7, SROA6, SROA5, SROA4, SROA3, SROA2, SROA1, SROA0,
	SROB17, SROB16, SROB15, SROB14, SROB13, SROB12, SROB11, SROB10, SROB9, SROB8, SROB7, SROB6,
	SROB5, SROB4, SROB3, SROB2, SROB1, SROB0, ROA17, ROA16, ROA15, ROA14, ROA13, ROA12, ROA11,
	ROA10, ROA9, ROA8, ROA7, ROA6, ROA5, ROA4, ROA3, ROA2, ROA1, ROA0, ROB17, ROB16, ROB15, ROB14,
	ROB13, ROB12, ROB11, ROB10, ROB9, ROB8, ROB7, ROB6, ROB5, ROB4, ROB3, ROB2, ROB1, ROB0, P35,
	P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16,
	P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0, SIGNEDP);
	parameter REG_INPUTA_CLK = "NONE";
	parameter REG_INPUTA_CE = "CE0";
	parameter REG_INPUTA_RST = "RST0";
	parameter REG_INPUTB_CLK = "NONE";
	parameter REG_INPUTB_CE = "CE0";
	parameter REG_INPUTB_RST = "RST0";
	parameter REG_INPUTC_CLK = "NONE";
	parameter REG_INPUTC_CE = "CE0";
	parameter REG_INPUTC_RST = "RST0";
	parameter REG_PIPELINE_CLK = "NONE";
	parameter REG_PIPELINE_CE = "CE0";
	parameter REG_PIPELINE_RST = "RST0";
	parameter REG_OUTPUT_CLK = "NONE";
	parameter REG_OUTPUT_CE = "CE0";
	parameter REG_OUTPUT_RST = "RST0";
	parameter CLK0_DIV = "ENABLED";
	parameter CLK1_DIV = "ENABLED";
	parameter CLK2_DIV = "ENABLED";
	parameter CLK3_DIV = "ENABLED";
	parameter HIGHSPEED_CLK = "NONE";
	parameter GSR = "ENABLED";
	parameter CAS_MATCH_REG = "FALSE";
	parameter SOURCEB_MODE = "B_SHIFT";
	parameter MULT_BYPASS = "DISABLED";
	parameter RESETMODE = "SYNC";
	input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0, B17,
	      B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0, C17, C16,
	      C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0;
	input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB;
	input CLK3, CLK2, CLK1, CLK0, CE3, CE2, CE1, CE0, RST3, RST2, RST1, RST0;
	input SRIA17, SRIA16, SRIA15, SRIA14, SRIA13, SRIA12, SRIA11, SRIA10, SRIA9, SRIA8, SRIA7,
	      SRIA6, SRIA5, SRIA4, SRIA3, SRIA2, SRIA1, SRIA0, SRIB17, SRIB16, SRIB15, SRIB14,
	      SRIB13, SRIB12, SRIB11, SRIB10, SRIB9, SRIB8, SRIB7, SRIB6, SRIB5, SRIB4, SRIB3, SRIB2,
	      SRIB1, SRIB0;
	output SROA17, SROA16, SROA15, SROA14, SROA13, SROA12, SROA11, SROA10, SROA9, SROA8, SROA7,
	       SROA6, SROA5, SROA4, SROA3, SROA2, SROA1, SROA0, SROB17, SROB16, SROB15, SROB14,
	       SROB13, SROB12, SROB11, SROB10, SROB9, SROB8, SROB7, SROB6, SROB5, SROB4, SROB3,
	       SROB2, SROB1, SROB0;
	output ROA17, ROA16, ROA15, ROA14, ROA13, ROA12, ROA11, ROA10, ROA9, ROA8, ROA7, ROA6, ROA5,
	       ROA4, ROA3, ROA2, ROA1, ROA0, ROB17, ROB16, ROB15, ROB14, ROB13, ROB12, ROB11, ROB10,
	       ROB9, ROB8, ROB7, ROB6, ROB5, ROB4, ROB3, ROB2, ROB1, ROB0;
	output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19,
	       P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0,
	       SIGNEDP;

	generate
		if (REG_INPUTC_CLK != "NONE" || SOURCEB_MODE != "B_SHIFT") begin : g1
			MULT18X18D_with_operand_C_is_not_modelled unmodelled();
		end
		if (CLK0_DIV != "ENABLED" || CLK1_DIV != "ENABLED" || CLK2_DIV != "ENABLED" ||
				CLK3_DIV != "ENABLED" || HIGHSPEED_CLK != "NONE") begin : g2
			MULT18X18D_with_HIGHSPEED_CLK_or_CLK_DIV_is_not_modelled unmodelled();
		end
		if (CAS_MATCH_REG != "FALSE") begin : g3
			MULT18X18D_with_this_CAS_MATCH_REG_is_not_modelled unmodelled();
		end
		if (MULT_BYPASS != "DISABLED") begin : g4
			MULT18X18D_with_this_MULT_BYPASS_is_not_modelled unmodelled();
		end
	endgenerate

	wire [17:0] port_a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2,
		A1, A0};
	wire [17:0] port_b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2,
		B1, B0};
	wire [17:0] chain_a = {SRIA17, SRIA16, SRIA15, SRIA14, SRIA13, SRIA12, SRIA11, SRIA10, SRIA9,
		SRIA8, SRIA7, SRIA6, SRIA5, SRIA4, SRIA3, SRIA2, SRIA1, SRIA0};
	wire [17:0] chain_b = {SRIB17, SRIB16, SRIB15, SRIB14, SRIB13, SRIB12, SRIB11, SRIB10, SRIB9,
		SRIB8, SRIB7, SRIB6, SRIB5, SRIB4, SRIB3, SRIB2, SRIB1, SRIB0};
	wire [17:0] a, b;
	wire signed_a, signed_b;
	// With 19 bits, both kinds of operand are signed numbers.
	wire [35:0] product = $signed({signed_a & a[17], a}) * $signed({signed_b & b[17], b});
	wire [35:0] array, p;

	ECP5_DSP_REGISTER #(
		.WIDTH(19), .CLK(REG_INPUTA_CLK), .CE(REG_INPUTA_CE), .RST(REG_INPUTA_RST),
		.RESETMODE(RESETMODE)
	) register_a (
		.CLK3(CLK3), .CLK2(CLK2), .CLK1(CLK1), .CLK0(CLK0), .CE3(CE3), .CE2(CE2), .CE1(CE1),
		.CE0(CE0), .RST3(RST3), .RST2(RST2), .RST1(RST1), .RST0(RST0),
		.D({SIGNEDA, SOURCEA ? chain_a : port_a}), .Q({signed_a, a}));
	ECP5_DSP_REGISTER #(
		.WIDTH(19), .CLK(REG_INPUTB_CLK), .CE(REG_INPUTB_CE), .RST(REG_INPUTB_RST),
		.RESETMODE(RESETMODE)
	) register_b (
		.CLK3(CLK3), .CLK2(CLK2), .CLK1(CLK1), .CLK0(CLK0), .CE3(CE3), .CE2(CE2), .CE1(CE1),
		.CE0(CE0), .RST3(RST3), .RST2(RST2), .RST1(RST1), .RST0(RST0),
		.D({SIGNEDB, SOURCEB ? chain_b : port_b}), .Q({signed_b, b}));
	ECP5_DSP_REGISTER #(
		.WIDTH(37), .CLK(REG_PIPELINE_CLK), .CE(REG_PIPELINE_CE), .RST(REG_PIPELINE_RST),
		.RESETMODE(RESETMODE)
	) register_pipeline (
		.CLK3(CLK3), .CLK2(CLK2), .CLK1(CLK1), .CLK0(CLK0), .CE3(CE3), .CE2(CE2), .CE1(CE1),
		.CE0(CE0), .RST3(RST3), .RST2(RST2), .RST1(RST1), .RST0(RST0),
		.D({signed_a | signed_b, product}), .Q({SIGNEDP, array}));
	ECP5_DSP_REGISTER #(
		.WIDTH(36), .CLK(REG_OUTPUT_CLK), .CE(REG_OUTPUT_CE), .RST(REG_OUTPUT_RST),
		.RESETMODE(RESETMODE)
	) register_output (
		.CLK3(CLK3), .CLK2(CLK2), .CLK1(CLK1), .CLK0(CLK0), .CE3(CE3), .CE2(CE2), .CE1(CE1),
		.CE0(CE0), .RST3(RST3), .RST2(RST2), .RST1(RST1), .RST0(RST0),
		.D(array), .Q(p));

	assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19,
		P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p;
	assign {ROA17, ROA16, ROA15, ROA14, ROA13, ROA12, ROA11, ROA10, ROA9, ROA8, ROA7, ROA6, ROA5,
		ROA4, ROA3, ROA2, ROA1, ROA0} = a;
	assign {ROB17, ROB16, ROB15, ROB14, ROB13, ROB12, ROB11, ROB10, ROB9, ROB8, ROB7, ROB6, ROB5,
		ROB4, ROB3, ROB2, ROB1, ROB0} = b;
	assign {SROA17, SROA16, SROA15, SROA14, SROA13, SROA12, SROA11, SROA10, SROA9, SROA8, SROA7,
		SROA6, SROA5, SROA4, SROA3, SROA2, SROA1, SROA0} = a;
	assign {SROB17, SROB16, SROB15, SROB14, SROB13, SROB12, SROB11, SROB10, SROB9, SROB8, SROB7,
		SROB6, SROB5, SROB4, SROB3, SROB2, SROB1, SROB0} = b;
endmodule

// The output of one port of a block RAM: a latch, and with REGMODE "OUTREG" a register behind it,
// one clock later and with a clock enable of its own [MEM].
//
// RESETMODE "SYNC": a clock with RST clears the latch, also without clock enable [PRED] [MAP:
// rdsrst ungated], and clears the register only if OCE is high [PRED]. RESETMODE "ASYNC": RST holds
// both at 0 [DS, "Memory Core Reset"] [MAP: rdarst]; CXXRTL's eval() and step() show the effect of
// an asynchronous reset one call later.
module ECP5_EBR_OUTPUT(CLK, RST, LOAD, OCE, D, Q);
	parameter WIDTH = 18;
	parameter REGMODE = "NOREG";
	parameter RESETMODE = "SYNC";
	input CLK, RST, LOAD, OCE;
	input [WIDTH-1:0] D;
	output [WIDTH-1:0] Q;

	reg [WIDTH-1:0] latch, register;
	initial latch = 0;
	initial register = 0;
	assign Q = REGMODE == "OUTREG" ? register : latch;

	generate
		if (RESETMODE == "SYNC") begin : g1
			always @(posedge CLK) if (RST) latch <= 0; else if (LOAD) latch <= D;
			if (REGMODE == "OUTREG") begin : g2
				always @(posedge CLK) if (OCE) register <= RST ? 0 : latch;
			end
		end else begin : g3
			always @(posedge CLK or posedge RST) if (RST) latch <= 0; else if (LOAD) latch <= D;
			if (REGMODE == "OUTREG") begin : g4
				always @(posedge CLK or posedge RST)
					if (RST) register <= 0; else if (OCE) register <= latch;
			end
		end
	endgenerate
endmodule

// True dual port block RAM of 2048 bytes of 9 bits.
//
// - Widths [DS, "sysMEM Memory Block"]: 1, 2, 4, 9 and 18 in both ports; ports of 1, 2 and 4 bits
//   see 8 bits of each byte [PRED] [MAP: byte 9]. The address counts words of 1 bit: a wider one
//   has its address in the upper bits [MEM] [MAP]; AD[1:0] are byte enables at 18 bits, AD[3:0] at
//   36 [MEM] [MAP]. Unused data outputs are 0.
// - Width 36 makes the RAM pseudo dual port: A only writes, with DIA as the lower half and DIB as
//   the upper one, and B only reads, with 36 bits into DOA (lower) and DOB (upper), or fewer into
//   DOB [MAP: $__PDPW16KD_] [PNR] [PRED]; DOA is 0 then.
// - A port is idle unless CE is high and CS equals CSDECODE. WE writes, else it reads [MEM].
// - WRITEMODE [DS, "Single, Dual and Pseudo-Dual Port Modes"]: "NORMAL" leaves the output alone in
//   a write, "WRITETHROUGH" shows the data written, and "READBEFOREWRITE" the word as it was.
//   POISON: what a write with READBEFOREWRITE shows in a port of 1, 2 or 4 bits, since [DS] has it
//   for 9 and more only ([MAP] for all; it also sets it on ports that never write). And bytes that
//   a byte enable excludes from a write with WRITETHROUGH: [PRED] leaves them alone in the output,
//   and [MAP] ("rdwr new") takes it that they are read.
// - RST with RESETMODE "SYNC" makes a clock a clock without write [PRED] [MAP: block_wr], with
//   "ASYNC" it touches the output only [PRED]. ASYNC_RESET_RELEASE is modelled as "ASYNC", and has
//   no meaning with RESETMODE "SYNC" [PRED].
// - Two ports at the same bits in one clock, one of them writing: undefined [PRED] [MAP: no rule
//   between ports].
//   POISON: the bytes or narrower words in which this happens are read as the complement of what
//   they were; if both ports write, A writes the complement of its data, and B nothing. The model
//   takes the clocks of both ports for one: with two, it sees a collision as long as the inputs of
//   the two ports are in conflict.
// - Contents [MEM, "Initializing Memory"] [MAP] [PRED]: INITVAL_00 holds the first 16 words of 18
//   bits, each at a multiple of 20 bits. Numbers, not Diamond's strings "0x...".
//
// Not modelled: falling clock edges (CLKAMUX "INV") and the other MUX parameters, strings as
// INITVAL, RESETMODE "ASYNC" with ASYNC_RESET_RELEASE "SYNC".
module DP16KD(
	DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
	DIA3, DIA2, DIA1, DIA0, ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3,
	ADA2, ADA1, ADA0, CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0, DOA17, DOA16, DOA15, DOA14,
	DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0, DIB17,
	DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3,
	DIB2, DIB1, DIB0, ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2,
	ADB1, ADB0, CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0, DOB17, DOB16, DOB15, DOB14, DOB13,
	DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0);
	parameter DATA_WIDTH_A = 18;
	parameter DATA_WIDTH_B = 18;
	parameter REGMODE_A = "NOREG";
	parameter REGMODE_B = "NOREG";
	parameter RESETMODE = "SYNC";
	parameter ASYNC_RESET_RELEASE = "SYNC";
	parameter CSDECODE_A = "0b000";
	parameter CSDECODE_B = "0b000";
	parameter WRITEMODE_A = "NORMAL";
	parameter WRITEMODE_B = "NORMAL";
	parameter CLKAMUX = "CLKA";
	parameter CLKBMUX = "CLKB";
	parameter GSR = "ENABLED";
	parameter WID = 0;
	parameter INIT_DATA = "STATIC";
	parameter INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0, INITVAL_04 = 0,
	          INITVAL_05 = 0, INITVAL_06 = 0, INITVAL_07 = 0, INITVAL_08 = 0, INITVAL_09 = 0,
	          INITVAL_0A = 0, INITVAL_0B = 0, INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0,
	          INITVAL_0F = 0, INITVAL_10 = 0, INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0,
	          INITVAL_14 = 0, INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0, INITVAL_18 = 0,
	          INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0, INITVAL_1C = 0, INITVAL_1D = 0,
	          INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0,
	          INITVAL_23 = 0, INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0,
	          INITVAL_28 = 0, INITVAL_29 = 0, INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0,
	          INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0, INITVAL_30 = 0, INITVAL_31 = 0,
	          INITVAL_32 = 0, INITVAL_33 = 0, INITVAL_34 = 0, INITVAL_35 = 0, INITVAL_36 = 0,
	          INITVAL_37 = 0, INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0,
	          INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0;
	input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
	      DIA4, DIA3, DIA2, DIA1, DIA0, ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5,
	      ADA4, ADA3, ADA2, ADA1, ADA0;
	input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0;
	output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
	       DOA4, DOA3, DOA2, DOA1, DOA0;
	input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
	      DIB4, DIB3, DIB2, DIB1, DIB0, ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5,
	      ADB4, ADB3, ADB2, ADB1, ADB0;
	input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0;
	output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
	       DOB4, DOB3, DOB2, DOB1, DOB0;

	localparam PSEUDO = DATA_WIDTH_A == 36;
	localparam CODE_A = 
		CSDECODE_A == "0b000" ? 0 : CSDECODE_A == "0b001" ? 1 :
		CSDECODE_A == "0b010" ? 2 : CSDECODE_A == "0b011" ? 3 :
		CSDECODE_A == "0b100" ? 4 : CSDECODE_A == "0b101" ? 5 :
		CSDECODE_A == "0b110" ? 6 : CSDECODE_A == "0b111" ? 7 : 8;
	localparam CODE_B = 
		CSDECODE_B == "0b000" ? 0 : CSDECODE_B == "0b001" ? 1 :
		CSDECODE_B == "0b010" ? 2 : CSDECODE_B == "0b011" ? 3 :
		CSDECODE_B == "0b100" ? 4 : CSDECODE_B == "0b101" ? 5 :
		CSDECODE_B == "0b110" ? 6 : CSDECODE_B == "0b111" ? 7 : 8;
	generate
		if (DATA_WIDTH_A != 1 && DATA_WIDTH_A != 2 && DATA_WIDTH_A != 4 && DATA_WIDTH_A != 9 &&
				DATA_WIDTH_A != 18 && DATA_WIDTH_A != 36) begin : g1
			DP16KD_with_this_DATA_WIDTH_A_is_not_modelled unmodelled();
		end
		if (DATA_WIDTH_B != 1 && DATA_WIDTH_B != 2 && DATA_WIDTH_B != 4 && DATA_WIDTH_B != 9 &&
				DATA_WIDTH_B != 18 && !(DATA_WIDTH_B == 36 && PSEUDO)) begin : g2
			DP16KD_with_this_DATA_WIDTH_B_is_not_modelled unmodelled();
		end
		if (REGMODE_A != "NOREG" && REGMODE_A != "OUTREG") begin : g3
			DP16KD_with_this_REGMODE_A_is_not_modelled unmodelled();
		end
		if (REGMODE_B != "NOREG" && REGMODE_B != "OUTREG") begin : g4
			DP16KD_with_this_REGMODE_B_is_not_modelled unmodelled();
		end
		if (DATA_WIDTH_B == 36 && REGMODE_A != REGMODE_B) begin : g5
			DP16KD_of_36_bits_with_two_REGMODEs_is_not_modelled unmodelled();
		end
		if (RESETMODE != "SYNC" && !(RESETMODE == "ASYNC" && ASYNC_RESET_RELEASE == "ASYNC")) begin : g6
			DP16KD_with_this_RESETMODE_and_ASYNC_RESET_RELEASE_is_not_modelled unmodelled();
		end
		if (WRITEMODE_A != "NORMAL" && WRITEMODE_A != "WRITETHROUGH" &&
				WRITEMODE_A != "READBEFOREWRITE") begin : g7
			DP16KD_with_this_WRITEMODE_A_is_not_modelled unmodelled();
		end
		if (WRITEMODE_B != "NORMAL" && WRITEMODE_B != "WRITETHROUGH" &&
				WRITEMODE_B != "READBEFOREWRITE") begin : g8
			DP16KD_with_this_WRITEMODE_B_is_not_modelled unmodelled();
		end
		if (CLKAMUX != "CLKA" || CLKBMUX != "CLKB") begin : g9
			DP16KD_with_an_inverted_clock_is_not_modelled unmodelled();
		end
		if (((
		INITVAL_00 | INITVAL_01 | INITVAL_02 | INITVAL_03 | INITVAL_04 | INITVAL_05 | INITVAL_06 |
		INITVAL_07 | INITVAL_08 | INITVAL_09 | INITVAL_0A | INITVAL_0B | INITVAL_0C | INITVAL_0D |
		INITVAL_0E | INITVAL_0F | INITVAL_10 | INITVAL_11 | INITVAL_12 | INITVAL_13 | INITVAL_14 |
		INITVAL_15 | INITVAL_16 | INITVAL_17 | INITVAL_18 | INITVAL_19 | INITVAL_1A | INITVAL_1B |
		INITVAL_1C | INITVAL_1D | INITVAL_1E | INITVAL_1F | INITVAL_20 | INITVAL_21 | INITVAL_22 |
		INITVAL_23 | INITVAL_24 | INITVAL_25 | INITVAL_26 | INITVAL_27 | INITVAL_28 | INITVAL_29 |
		INITVAL_2A | INITVAL_2B | INITVAL_2C | INITVAL_2D | INITVAL_2E | INITVAL_2F | INITVAL_30 |
		INITVAL_31 | INITVAL_32 | INITVAL_33 | INITVAL_34 | INITVAL_35 | INITVAL_36 | INITVAL_37 |
		INITVAL_38 | INITVAL_39 | INITVAL_3A | INITVAL_3B | INITVAL_3C | INITVAL_3D | INITVAL_3E |
		INITVAL_3F) >> 320) != 0) begin : g10
			DP16KD_with_a_string_as_INITVAL_is_not_modelled unmodelled();
		end
		if (CODE_A > 7 || CODE_B > 7) begin : g11
			DP16KD_with_this_CSDECODE_is_not_modelled unmodelled();
		end
	endgenerate

	function [287:0] words(input [319:0] padded);
		words = {
			padded[317:300], padded[297:280], padded[277:260], padded[257:240],
			padded[237:220], padded[217:200], padded[197:180], padded[177:160],
			padded[157:140], padded[137:120], padded[117:100], padded[97:80], padded[77:60],
			padded[57:40], padded[37:20], padded[17:0]};
	endfunction
	localparam [18431:0] CONTENTS = {
		words(INITVAL_3F), words(INITVAL_3E), words(INITVAL_3D),
		words(INITVAL_3C), words(INITVAL_3B), words(INITVAL_3A), words(INITVAL_39),
		words(INITVAL_38), words(INITVAL_37), words(INITVAL_36), words(INITVAL_35),
		words(INITVAL_34), words(INITVAL_33), words(INITVAL_32), words(INITVAL_31),
		words(INITVAL_30), words(INITVAL_2F), words(INITVAL_2E), words(INITVAL_2D),
		words(INITVAL_2C), words(INITVAL_2B), words(INITVAL_2A), words(INITVAL_29),
		words(INITVAL_28), words(INITVAL_27), words(INITVAL_26), words(INITVAL_25),
		words(INITVAL_24), words(INITVAL_23), words(INITVAL_22), words(INITVAL_21),
		words(INITVAL_20), words(INITVAL_1F), words(INITVAL_1E), words(INITVAL_1D),
		words(INITVAL_1C), words(INITVAL_1B), words(INITVAL_1A), words(INITVAL_19),
		words(INITVAL_18), words(INITVAL_17), words(INITVAL_16), words(INITVAL_15),
		words(INITVAL_14), words(INITVAL_13), words(INITVAL_12), words(INITVAL_11),
		words(INITVAL_10), words(INITVAL_0F), words(INITVAL_0E), words(INITVAL_0D),
		words(INITVAL_0C), words(INITVAL_0B), words(INITVAL_0A), words(INITVAL_09),
		words(INITVAL_08), words(INITVAL_07), words(INITVAL_06), words(INITVAL_05),
		words(INITVAL_04), words(INITVAL_03), words(INITVAL_02), words(INITVAL_01),
		words(INITVAL_00)};
	reg [8:0] bytes [0:2047];
	// yosys takes a second for all of it in one instance, so what is 0 there anyway is left out.
`ifdef YOSYS
	localparam ZEROS = 0;
`else
	localparam ZEROS = 1;
`endif
	genvar slice;
	generate
		for (slice = 0; slice < 64; slice = slice + 1) begin : contents
			localparam [287:0] SLICE = CONTENTS[288 * slice +: 288];
			integer n;
			if (slice == 0 || SLICE != 0 || ZEROS) begin : g12
				initial
					for (n = 0; n < 32; n = n + 1)
						bytes[32 * slice + n] = SLICE[9 * n +: 9];
			end
		end
	endgenerate

	wire [17:0] do_a, do_b;

	wire [17:0] di_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7,
		DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
	wire [13:0] ad_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3,
		ADA2, ADA1, ADA0};
	wire selected_a = CEA & {CSA2, CSA1, CSA0} == CODE_A;
	wire we_a = WEA;
	wire write_a = selected_a & we_a & !(RESETMODE == "SYNC" && RSTA);
	wire [17:0] di_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7,
		DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
	wire [13:0] ad_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3,
		ADB2, ADB1, ADB0};
	wire selected_b = CEB & {CSB2, CSB1, CSB0} == CODE_B;
	wire we_b = WEB & !PSEUDO;
	wire write_b = selected_b & we_b & !(RESETMODE == "SYNC" && RSTB);

	// Whether the ports meet in a row of four bytes, and if both are narrower than a byte, also in
	// the part of it that is the wider one's word.
	localparam PART = DATA_WIDTH_A >= 9 || DATA_WIDTH_B >= 9 ? 3 :
		DATA_WIDTH_A == 4 || DATA_WIDTH_B == 4 ? 2 : DATA_WIDTH_A == 2 || DATA_WIDTH_B == 2 ? 1 : 0;
	wire meet = ad_a[13:5] == ad_b[13:5] & ad_a[2:0] >> PART == ad_b[2:0] >> PART;
	// Which bytes of its row port A is writing.
	wire write_a0 = write_a & (DATA_WIDTH_A == 36 ? ad_a[0] : 
		DATA_WIDTH_A == 18 ? !ad_a[4] & ad_a[0] : !ad_a[4] & !ad_a[3]);
	wire write_a1 = write_a & (DATA_WIDTH_A == 36 ? ad_a[1] : 
		DATA_WIDTH_A == 18 ? !ad_a[4] & ad_a[1] : !ad_a[4] & ad_a[3]);
	wire write_a2 = write_a & (DATA_WIDTH_A == 36 ? ad_a[2] : 
		DATA_WIDTH_A == 18 ? ad_a[4] & ad_a[0] : ad_a[4] & !ad_a[3]);
	wire write_a3 = write_a & (DATA_WIDTH_A == 36 ? ad_a[3] : 
		DATA_WIDTH_A == 18 ? ad_a[4] & ad_a[1] : ad_a[4] & ad_a[3]);
	// Which bytes of its row port B is writing.
	wire write_b0 = write_b & (
		DATA_WIDTH_B == 18 ? !ad_b[4] & ad_b[0] : !ad_b[4] & !ad_b[3]);
	wire write_b1 = write_b & (
		DATA_WIDTH_B == 18 ? !ad_b[4] & ad_b[1] : !ad_b[4] & ad_b[3]);
	wire write_b2 = write_b & (
		DATA_WIDTH_B == 18 ? ad_b[4] & ad_b[0] : ad_b[4] & !ad_b[3]);
	wire write_b3 = write_b & (
		DATA_WIDTH_B == 18 ? ad_b[4] & ad_b[1] : ad_b[4] & ad_b[3]);

	wire clash = meet & (write_a0 & write_b0 | write_a1 & write_b1 |
		write_a2 & write_b2 | write_a3 & write_b3);

	// Port A.
	wire load_a = selected_a & (!we_a | WRITEMODE_A != "NORMAL");
	generate
		if (PSEUDO) begin : row_a
			always @(posedge CLKA) if (write_a0) bytes[{ad_a[13:5], 2'd0}] <= di_a[8:0];
			always @(posedge CLKA) if (write_a1) bytes[{ad_a[13:5], 2'd1}] <= di_a[17:9];
			always @(posedge CLKA) if (write_a2) bytes[{ad_a[13:5], 2'd2}] <= di_b[8:0];
			always @(posedge CLKA) if (write_a3) bytes[{ad_a[13:5], 2'd3}] <= di_b[17:9];
			if (DATA_WIDTH_B != 36) begin : g13 assign do_a = 18'd0; end
		end else if (DATA_WIDTH_A == 18) begin : word_a
			wire put1 = write_a & ad_a[1];
			wire put0 = write_a & ad_a[0];
			wire hit1 = meet & (ad_a[4] ? write_b3 : write_b1);
			wire hit0 = meet & (ad_a[4] ? write_b2 : write_b0);
			wire [8:0] old1 = bytes[{ad_a[13:4], 1'b1}] ^ {9{hit1}};
			wire [8:0] old0 = bytes[{ad_a[13:4], 1'b0}] ^ {9{hit0}};
			// POISON of the bytes that are not written.
			wire [17:0] through = {ad_a[1] ? di_a[17:9] : ~old1,
				ad_a[0] ? di_a[8:0] : ~old0};
			wire [17:0] seen =
				we_a & WRITEMODE_A == "WRITETHROUGH" ? through : {old1, old0};
			ECP5_EBR_OUTPUT #(.WIDTH(18), .REGMODE(REGMODE_A), .RESETMODE(RESETMODE))
				output_a (.CLK(CLKA), .RST(RSTA), .LOAD(load_a), .OCE(OCEA),
					.D(seen), .Q(do_a));
			always @(posedge CLKA)
				if (put1) bytes[{ad_a[13:4], 1'b1}] <= di_a[17:9] ^ {9{clash}};
			always @(posedge CLKA)
				if (put0) bytes[{ad_a[13:4], 1'b0}] <= di_a[8:0] ^ {9{clash}};
		end else begin : byte_a
			localparam W = DATA_WIDTH_A;
			wire put = write_a;
			wire hit = meet & (ad_a[4] ? (ad_a[3] ? write_b3 : write_b2) :
				(ad_a[3] ? write_b1 : write_b0));
			wire [8:0] content = bytes[ad_a[13:3]];
			wire [3:0] nibble = ad_a[2] ? content[7:4] : content[3:0];
			wire [1:0] pair = ad_a[1] ? nibble[3:2] : nibble[1:0];
			wire single = ad_a[0] ? pair[1] : pair[0];
			wire [W-1:0] old = {W{hit}} ^
				(W == 9 ? content : W == 4 ? nibble : W == 2 ? pair : single);
			// POISON of what is read before a write of less than 9 bits.
			wire [W-1:0] seen =
				!we_a ? old : WRITEMODE_A == "WRITETHROUGH" ? di_a[W-1:0] : W < 9 ? ~old : old;
			wire [W-1:0] q;
			assign do_a = q;
			ECP5_EBR_OUTPUT #(.WIDTH(W), .REGMODE(REGMODE_A), .RESETMODE(RESETMODE))
				output_a (.CLK(CLKA), .RST(RSTA), .LOAD(load_a), .OCE(OCEA),
					.D(seen), .Q(q));
			if (W == 9) begin : g14
				always @(posedge CLKA)
					if (put) bytes[ad_a[13:3]] <= di_a[8:0] ^ {9{clash}};
			end
			if (W == 4) begin : g15
				always @(posedge CLKA)
					if (put) bytes[ad_a[13:3]][{ad_a[2], 2'b00} +: 4] <= di_a[3:0] ^ {4{clash}};
			end
			if (W == 2) begin : g16
				always @(posedge CLKA)
					if (put) bytes[ad_a[13:3]][{ad_a[2:1], 1'b0} +: 2] <= di_a[1:0] ^ {2{clash}};
			end
			if (W == 1) begin : g17
				always @(posedge CLKA)
					if (put) bytes[ad_a[13:3]][ad_a[2:0] +: 1] <= di_a[0] ^ clash;
			end
		end
	endgenerate
	assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
		DOA4, DOA3, DOA2, DOA1, DOA0} = do_a;

	// Port B.
	wire load_b = selected_b & (!we_b | WRITEMODE_B != "NORMAL");
	generate
		if (DATA_WIDTH_B == 36) begin : row_b
			wire [35:0] content = {bytes[{ad_b[13:5], 2'd3}], bytes[{ad_b[13:5], 2'd2}],
				bytes[{ad_b[13:5], 2'd1}], bytes[{ad_b[13:5], 2'd0}]};
			wire [35:0] old = content ^ {{9{meet & write_a3}}, {9{meet & write_a2}},
				{9{meet & write_a1}}, {9{meet & write_a0}}};
			ECP5_EBR_OUTPUT #(.WIDTH(36), .REGMODE(REGMODE_B), .RESETMODE(RESETMODE))
				output_b (.CLK(CLKB), .RST(RSTB), .LOAD(load_b), .OCE(OCEB),
					.D(old), .Q({do_b, do_a}));
		end else if (DATA_WIDTH_B == 18) begin : word_b
			wire put1 = write_b & ad_b[1] & !clash;
			wire put0 = write_b & ad_b[0] & !clash;
			wire hit1 = meet & (ad_b[4] ? write_a3 : write_a1);
			wire hit0 = meet & (ad_b[4] ? write_a2 : write_a0);
			wire [8:0] old1 = bytes[{ad_b[13:4], 1'b1}] ^ {9{hit1}};
			wire [8:0] old0 = bytes[{ad_b[13:4], 1'b0}] ^ {9{hit0}};
			// POISON of the bytes that are not written.
			wire [17:0] through = {ad_b[1] ? di_b[17:9] : ~old1,
				ad_b[0] ? di_b[8:0] : ~old0};
			wire [17:0] seen =
				we_b & WRITEMODE_B == "WRITETHROUGH" ? through : {old1, old0};
			ECP5_EBR_OUTPUT #(.WIDTH(18), .REGMODE(REGMODE_B), .RESETMODE(RESETMODE))
				output_b (.CLK(CLKB), .RST(RSTB), .LOAD(load_b), .OCE(OCEB),
					.D(seen), .Q(do_b));
			always @(posedge CLKB)
				if (put1) bytes[{ad_b[13:4], 1'b1}] <= di_b[17:9];
			always @(posedge CLKB)
				if (put0) bytes[{ad_b[13:4], 1'b0}] <= di_b[8:0];
		end else begin : byte_b
			localparam W = DATA_WIDTH_B;
			wire put = write_b & !clash;
			wire hit = meet & (ad_b[4] ? (ad_b[3] ? write_a3 : write_a2) :
				(ad_b[3] ? write_a1 : write_a0));
			wire [8:0] content = bytes[ad_b[13:3]];
			wire [3:0] nibble = ad_b[2] ? content[7:4] : content[3:0];
			wire [1:0] pair = ad_b[1] ? nibble[3:2] : nibble[1:0];
			wire single = ad_b[0] ? pair[1] : pair[0];
			wire [W-1:0] old = {W{hit}} ^
				(W == 9 ? content : W == 4 ? nibble : W == 2 ? pair : single);
			// POISON of what is read before a write of less than 9 bits.
			wire [W-1:0] seen =
				!we_b ? old : WRITEMODE_B == "WRITETHROUGH" ? di_b[W-1:0] : W < 9 ? ~old : old;
			wire [W-1:0] q;
			assign do_b = q;
			ECP5_EBR_OUTPUT #(.WIDTH(W), .REGMODE(REGMODE_B), .RESETMODE(RESETMODE))
				output_b (.CLK(CLKB), .RST(RSTB), .LOAD(load_b), .OCE(OCEB),
					.D(seen), .Q(q));
			if (W == 9) begin : g18
				always @(posedge CLKB)
					if (put) bytes[ad_b[13:3]] <= di_b[8:0];
			end
			if (W == 4) begin : g19
				always @(posedge CLKB)
					if (put) bytes[ad_b[13:3]][{ad_b[2], 2'b00} +: 4] <= di_b[3:0];
			end
			if (W == 2) begin : g20
				always @(posedge CLKB)
					if (put) bytes[ad_b[13:3]][{ad_b[2:1], 1'b0} +: 2] <= di_b[1:0];
			end
			if (W == 1) begin : g21
				always @(posedge CLKB)
					if (put) bytes[ad_b[13:3]][ad_b[2:0] +: 1] <= di_b[0];
			end
		end
	endgenerate
	assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
		DOB4, DOB3, DOB2, DOB1, DOB0} = do_b;

endmodule

// Pseudo dual port block RAM that writes 36 bits: a DP16KD with its ports renamed, just as nextpnr
// does it [PNR]. A read of 36 bits has its halves exchanged: DO[17:0] is the upper one, DI[35:18],
// and fewer bits come out of DO[0] and up [PNR]; memories that Diamond generates connect them so.
// ADW counts words of 36 bits, and ADR words of 1 bit like the addresses of DP16KD.
module PDPW16KD(
	DI35, DI34, DI33, DI32, DI31, DI30, DI29, DI28, DI27, DI26, DI25, DI24, DI23, DI22, DI21, DI20,
	DI19, DI18, DI17, DI16, DI15, DI14, DI13, DI12, DI11, DI10, DI9, DI8, DI7, DI6, DI5, DI4, DI3,
	DI2, DI1, DI0, ADW8, ADW7, ADW6, ADW5, ADW4, ADW3, ADW2, ADW1, ADW0, BE3, BE2, BE1, BE0, CEW,
	CLKW, CSW2, CSW1, CSW0, ADR13, ADR12, ADR11, ADR10, ADR9, ADR8, ADR7, ADR6, ADR5, ADR4, ADR3,
	ADR2, ADR1, ADR0, CER, OCER, CLKR, CSR2, CSR1, CSR0, RST, DO35, DO34, DO33, DO32, DO31, DO30,
	DO29, DO28, DO27, DO26, DO25, DO24, DO23, DO22, DO21, DO20, DO19, DO18, DO17, DO16, DO15, DO14,
	DO13, DO12, DO11, DO10, DO9, DO8, DO7, DO6, DO5, DO4, DO3, DO2, DO1, DO0);
	parameter DATA_WIDTH_W = 36;
	parameter DATA_WIDTH_R = 36;
	parameter REGMODE = "NOREG";
	parameter RESETMODE = "SYNC";
	parameter ASYNC_RESET_RELEASE = "SYNC";
	parameter CSDECODE_W = "0b000";
	parameter CSDECODE_R = "0b000";
	parameter CLKWMUX = "CLKW";
	parameter CLKRMUX = "CLKR";
	parameter GSR = "ENABLED";
	parameter INIT_DATA = "STATIC";
	parameter INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0, INITVAL_04 = 0,
	          INITVAL_05 = 0, INITVAL_06 = 0, INITVAL_07 = 0, INITVAL_08 = 0, INITVAL_09 = 0,
	          INITVAL_0A = 0, INITVAL_0B = 0, INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0,
	          INITVAL_0F = 0, INITVAL_10 = 0, INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0,
	          INITVAL_14 = 0, INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0, INITVAL_18 = 0,
	          INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0, INITVAL_1C = 0, INITVAL_1D = 0,
	          INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0,
	          INITVAL_23 = 0, INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0,
	          INITVAL_28 = 0, INITVAL_29 = 0, INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0,
	          INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0, INITVAL_30 = 0, INITVAL_31 = 0,
	          INITVAL_32 = 0, INITVAL_33 = 0, INITVAL_34 = 0, INITVAL_35 = 0, INITVAL_36 = 0,
	          INITVAL_37 = 0, INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0,
	          INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0;
	input DI35, DI34, DI33, DI32, DI31, DI30, DI29, DI28, DI27, DI26, DI25, DI24, DI23, DI22,
	      DI21, DI20, DI19, DI18, DI17, DI16, DI15, DI14, DI13, DI12, DI11, DI10, DI9, DI8, DI7,
	      DI6, DI5, DI4, DI3, DI2, DI1, DI0, ADW8, ADW7, ADW6, ADW5, ADW4, ADW3, ADW2, ADW1,
	      ADW0, BE3, BE2, BE1, BE0;
	input CEW, CLKW, CSW2, CSW1, CSW0, ADR13, ADR12, ADR11, ADR10, ADR9, ADR8, ADR7, ADR6, ADR5,
	      ADR4, ADR3, ADR2, ADR1, ADR0, CER, OCER, CLKR, CSR2, CSR1, CSR0, RST;
	output DO35, DO34, DO33, DO32, DO31, DO30, DO29, DO28, DO27, DO26, DO25, DO24, DO23, DO22,
	       DO21, DO20, DO19, DO18, DO17, DO16, DO15, DO14, DO13, DO12, DO11, DO10, DO9, DO8, DO7,
	       DO6, DO5, DO4, DO3, DO2, DO1, DO0;

	generate
		if (DATA_WIDTH_W != 36) begin : g1
			PDPW16KD_with_this_DATA_WIDTH_W_is_not_modelled unmodelled();
		end
		if (CLKWMUX != "CLKW" || CLKRMUX != "CLKR") begin : g2
			PDPW16KD_with_an_inverted_clock_is_not_modelled unmodelled();
		end
	endgenerate

	DP16KD #(
		.DATA_WIDTH_A(36), .DATA_WIDTH_B(DATA_WIDTH_R), .REGMODE_A(REGMODE), .REGMODE_B(REGMODE),
		.RESETMODE(RESETMODE), .ASYNC_RESET_RELEASE(ASYNC_RESET_RELEASE),
		.CSDECODE_A(CSDECODE_W), .CSDECODE_B(CSDECODE_R),
		.INITVAL_00(INITVAL_00), .INITVAL_01(INITVAL_01), .INITVAL_02(INITVAL_02),
		.INITVAL_03(INITVAL_03), .INITVAL_04(INITVAL_04), .INITVAL_05(INITVAL_05),
		.INITVAL_06(INITVAL_06), .INITVAL_07(INITVAL_07), .INITVAL_08(INITVAL_08),
		.INITVAL_09(INITVAL_09), .INITVAL_0A(INITVAL_0A), .INITVAL_0B(INITVAL_0B),
		.INITVAL_0C(INITVAL_0C), .INITVAL_0D(INITVAL_0D), .INITVAL_0E(INITVAL_0E),
		.INITVAL_0F(INITVAL_0F), .INITVAL_10(INITVAL_10), .INITVAL_11(INITVAL_11),
		.INITVAL_12(INITVAL_12), .INITVAL_13(INITVAL_13), .INITVAL_14(INITVAL_14),
		.INITVAL_15(INITVAL_15), .INITVAL_16(INITVAL_16), .INITVAL_17(INITVAL_17),
		.INITVAL_18(INITVAL_18), .INITVAL_19(INITVAL_19), .INITVAL_1A(INITVAL_1A),
		.INITVAL_1B(INITVAL_1B), .INITVAL_1C(INITVAL_1C), .INITVAL_1D(INITVAL_1D),
		.INITVAL_1E(INITVAL_1E), .INITVAL_1F(INITVAL_1F), .INITVAL_20(INITVAL_20),
		.INITVAL_21(INITVAL_21), .INITVAL_22(INITVAL_22), .INITVAL_23(INITVAL_23),
		.INITVAL_24(INITVAL_24), .INITVAL_25(INITVAL_25), .INITVAL_26(INITVAL_26),
		.INITVAL_27(INITVAL_27), .INITVAL_28(INITVAL_28), .INITVAL_29(INITVAL_29),
		.INITVAL_2A(INITVAL_2A), .INITVAL_2B(INITVAL_2B), .INITVAL_2C(INITVAL_2C),
		.INITVAL_2D(INITVAL_2D), .INITVAL_2E(INITVAL_2E), .INITVAL_2F(INITVAL_2F),
		.INITVAL_30(INITVAL_30), .INITVAL_31(INITVAL_31), .INITVAL_32(INITVAL_32),
		.INITVAL_33(INITVAL_33), .INITVAL_34(INITVAL_34), .INITVAL_35(INITVAL_35),
		.INITVAL_36(INITVAL_36), .INITVAL_37(INITVAL_37), .INITVAL_38(INITVAL_38),
		.INITVAL_39(INITVAL_39), .INITVAL_3A(INITVAL_3A), .INITVAL_3B(INITVAL_3B),
		.INITVAL_3C(INITVAL_3C), .INITVAL_3D(INITVAL_3D), .INITVAL_3E(INITVAL_3E),
		.INITVAL_3F(INITVAL_3F)
	) ram (
		.CLKA(CLKW), .CEA(CEW), .WEA(1'b1), .OCEA(1'b0), .RSTA(RST),
		.CLKB(CLKR), .CEB(CER), .WEB(1'b0), .OCEB(OCER), .RSTB(RST),
		.CSA2(CSW2), .CSA1(CSW1), .CSA0(CSW0), .CSB2(CSR2), .CSB1(CSR1), .CSB0(CSR0), .ADA3(BE3),
		.ADA2(BE2), .ADA1(BE1), .ADA0(BE0), .ADA4(1'b0), .ADA13(ADW8), .ADA12(ADW7), .ADA11(ADW6),
		.ADA10(ADW5), .ADA9(ADW4), .ADA8(ADW3), .ADA7(ADW2), .ADA6(ADW1), .ADA5(ADW0),
		.ADB13(ADR13), .ADB12(ADR12), .ADB11(ADR11), .ADB10(ADR10), .ADB9(ADR9), .ADB8(ADR8),
		.ADB7(ADR7), .ADB6(ADR6), .ADB5(ADR5), .ADB4(ADR4), .ADB3(ADR3), .ADB2(ADR2), .ADB1(ADR1),
		.ADB0(ADR0), .DIA17(DI17), .DIA16(DI16), .DIA15(DI15), .DIA14(DI14), .DIA13(DI13),
		.DIA12(DI12), .DIA11(DI11), .DIA10(DI10), .DIA9(DI9), .DIA8(DI8), .DIA7(DI7), .DIA6(DI6),
		.DIA5(DI5), .DIA4(DI4), .DIA3(DI3), .DIA2(DI2), .DIA1(DI1), .DIA0(DI0), .DIB17(DI35),
		.DIB16(DI34), .DIB15(DI33), .DIB14(DI32), .DIB13(DI31), .DIB12(DI30), .DIB11(DI29),
		.DIB10(DI28), .DIB9(DI27), .DIB8(DI26), .DIB7(DI25), .DIB6(DI24), .DIB5(DI23), .DIB4(DI22),
		.DIB3(DI21), .DIB2(DI20), .DIB1(DI19), .DIB0(DI18), .DOA17(DO35), .DOA16(DO34),
		.DOA15(DO33), .DOA14(DO32), .DOA13(DO31), .DOA12(DO30), .DOA11(DO29), .DOA10(DO28),
		.DOA9(DO27), .DOA8(DO26), .DOA7(DO25), .DOA6(DO24), .DOA5(DO23), .DOA4(DO22), .DOA3(DO21),
		.DOA2(DO20), .DOA1(DO19), .DOA0(DO18), .DOB17(DO17), .DOB16(DO16), .DOB15(DO15),
		.DOB14(DO14), .DOB13(DO13), .DOB12(DO12), .DOB11(DO11), .DOB10(DO10), .DOB9(DO9),
		.DOB8(DO8), .DOB7(DO7), .DOB6(DO6), .DOB5(DO5), .DOB4(DO4), .DOB3(DO3), .DOB2(DO2),
		.DOB1(DO1), .DOB0(DO0));
endmodule
