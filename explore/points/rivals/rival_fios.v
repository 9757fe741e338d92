// Gives the multiplier of FIOS_DSP_MM operands as whole numbers, as its MM_top does from a memory.
module rival_fios #(
  parameter WIDTH = 256,
  parameter WORDS = 16
) (
  input                  clk, rst, start,
  input      [WIDTH:0]   x, y,
  input      [WIDTH-1:0] m,
  input      [16:0]      m_inverse,
  output     [WIDTH:0]   result,
  output reg             done
);
  localparam BITS = 17 * WORDS;
  // Clocks of a product. The signal done_o of the multiplier comes after them as well, but after a
  // reset it also comes for the product before.
  localparam CLOCKS = 13 * WORDS - 2;

  reg  [$clog2(CLOCKS):0] left;
  reg  [BITS-1:0] b, p, sum;
  reg             begins;
  wire            b_fetch, p_fetch, push;
  wire [16:0]     word;

  FIOS_NOCASC_3A #(
    .CONFIGURATION("EXPAND"), .DSP_PRIMITIVE("generic_DSP_3A"), .s(WORDS)
  ) multiplier (
    .clock_i(clk), .reset_i(rst), .start_i(begins), .p_prime_0_i(m_inverse),
    .a_i({{BITS-WIDTH-1{1'b0}}, x}), .b_i(b[16:0]), .p_i(p[16:0]), .a_shift_o(), .b_fetch_o(b_fetch),
    .p_fetch_o(p_fetch), .RES_push_o(push), .done_o(), .RES_o(word)
  );

  assign result = sum[WIDTH:0];

  always @(posedge clk) begin
    begins <= start & !rst;
    done   <= left == 1 & !rst;
    if (rst) left <= 0;
    else if (start) left <= CLOCKS;
    else if (left != 0) left <= left - 1;
    if (start) p <= m;
    else if (p_fetch) p <= p >> 17;
    // b_fetch is high while the multiplier waits.
    if (begins) b <= y;
    else if (b_fetch) b <= b >> 17;
    if (push) sum <= {word, sum[BITS-1:17]};
  end
endmodule

// As that of FIOS_DSP_MM, which assigns to a register in two ways, and has a reset that nothing uses.
module delay_line #(
  parameter WIDTH = 17,
  parameter DELAY = 2
) (
  input              clock_i, reset_i, en_i,
  input  [WIDTH-1:0] data_i,
  output [WIDTH-1:0] data_o
);
  wire [WIDTH-1:0] stage [0:DELAY];
  assign stage[0] = data_i;
  for (genvar i = 0; i < DELAY; i = i + 1) begin : each
    reg [WIDTH-1:0] data;
    assign stage[i+1] = data;
    always @(posedge clock_i)
      if (en_i) data <= stage[i];
  end
  assign data_o = stage[DELAY];
endmodule
