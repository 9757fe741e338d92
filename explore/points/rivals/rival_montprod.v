// Streams and memories around montprod, which reads its operands from memories, highest word first.
module rival_montprod #(
  parameter WORDS = 9
) (
  input             clk, reset_n,
  input             i_valid,
  output            i_ready,
  input      [31:0] i_data,
  output            o_valid,
  input             o_ready,
  output     [31:0] o_data
);
  localparam [7:0] LENGTH = WORDS;
  reg  [31:0] x [0:WORDS-1], y [0:WORDS-1], modulus [0:WORDS-1], result [0:WORDS-1];
  reg  [31:0] x_data, y_data, modulus_data, read;
  wire [7:0]  x_addr, y_addr, modulus_addr, result_addr;
  wire [31:0] result_data;
  wire        result_we, idle;
  reg  [1:0]  operand;
  reg  [7:0]  word, sent;
  reg         calculate, busy, reading, offered;

  assign i_ready = !busy && !reading;
  assign o_valid = offered;
  assign o_data = read;

  montprod core (
    .clk(clk), .reset_n(reset_n), .calculate(calculate), .ready(idle), .length(LENGTH),
    .opa_addr(x_addr), .opa_data(x_data), .opb_addr(y_addr), .opb_data(y_data),
    .opm_addr(modulus_addr), .opm_data(modulus_data),
    .result_addr(result_addr), .result_data(result_data), .result_we(result_we));

  always @(posedge clk) begin
    x_data <= x[x_addr];
    y_data <= y[y_addr];
    modulus_data <= modulus[modulus_addr];
    if (i_valid && i_ready && operand == 0) x[word] <= i_data;
    if (i_valid && i_ready && operand == 1) y[word] <= i_data;
    if (i_valid && i_ready && operand == 2) modulus[word] <= i_data;
    if (result_we) result[result_addr] <= result_data;
  end
  always @(posedge clk)
    if (!offered || o_ready) read <= result[sent];

  always @(posedge clk)
    if (!reset_n) begin
      word <= WORDS - 1;
      {operand, calculate, busy, reading, offered} <= 0;
    end else begin
      calculate <= 0;
      if (i_valid && i_ready) begin
        word <= word - 1;
        if (word == 0) begin
          word <= WORDS - 1;
          operand <= operand + 1;
          if (operand == 2) begin
            operand <= 0;
            calculate <= 1;
            busy <= 1;
          end
        end
      end
      // The lowest word is written last but for word 0, which is the highest.
      if (busy && result_we && result_addr == 0) begin
        busy <= 0;
        reading <= 1;
        sent <= WORDS - 1;
      end
      if (reading && (!offered || o_ready)) begin
        offered <= sent != 8'hff;
        sent <= sent - 1;
        if (sent == 8'hff) reading <= 0;
      end
    end
endmodule
