// A Montgomery multiplier that takes one bit of x per clock: a core to begin with.
module my_core #(
  parameter WIDTH = 8
) (
  input                  clk, rst, start,
  input      [WIDTH-1:0] x, y, m,
  output reg [WIDTH-1:0] p,
  output reg             done
);
  reg  [WIDTH-1:0]       bits;
  reg  [WIDTH+1:0]       total;
  reg  [$clog2(WIDTH):0] count;
  reg                    busy;
  wire [WIDTH+1:0]       product = total + (bits[0] ? y : {WIDTH{1'b0}});
  wire [WIDTH+1:0]       even = product + (product[0] ? m : {WIDTH{1'b0}});  // < 4 m

  always @(posedge clk) begin
    done <= 0;
    if (rst)
      busy <= 0;
    else if (start) begin
      bits  <= x;
      total <= 0;
      count <= 0;
      busy  <= 1;
    end else if (busy) begin
      if (count == WIDTH) begin
        p    <= total >= m ? total - m : total;
        done <= 1;
        busy <= 0;
      end else begin
        total <= even >> 1;  // < 2 m
        bits  <= bits >> 1;
        count <= count + 1;
      end
    end
  end
endmodule
