-- Gives the multiplier of mod_sim_exp its operands one after the other.
library ieee;
use ieee.std_logic_1164.all;

library mod_sim_exp;
use mod_sim_exp.mod_sim_exp_pkg.all;

entity rival_modsimexp is
  generic (
    width  : integer := 256;
    stages : integer := 16
  );
  port (
    clk, rst, start : in std_logic;
    x, y, m         : in std_logic_vector(width-1 downto 0);
    result          : out std_logic_vector(width-1 downto 0);
    done            : out std_logic
  );
end rival_modsimexp;

architecture structural of rival_modsimexp is
  signal xy     : std_logic_vector(width-1 downto 0);
  signal begins : std_logic;
begin
  xy <= x when start = '1' else y;

  process (clk)
  begin
    if rising_edge(clk) then
      begins <= start and not rst;
    end if;
  end process;

  multiplier : mont_multiplier
    generic map (n => width, t => stages, tl => 1, split => false)
    port map (core_clk => clk, xy => xy, m => m, r => result, start => begins, reset => rst,
              p_sel => "11", load_x => start, ready => done);
end structural;

-- As that of mod_sim_exp, whose counters of a narrower range ghdl refuses.
library ieee;
use ieee.std_logic_1164.all;

entity stepping_logic is
  generic (
    n : integer := 256;
    t : integer := 16
  );
  port (
    core_clk, start, reset : in std_logic;
    t_sel                  : in integer range 0 to t;
    n_sel                  : in integer range 0 to n;
    start_first_stage      : out std_logic;
    stepping_done          : out std_logic
  );
end stepping_logic;

architecture counted of stepping_logic is
  signal first, first_before, step, stepped : std_logic;
  signal last, last_before, done            : std_logic;
  signal odd                                : std_logic;
  signal steps                              : integer range 0 to n;
  signal stages                             : integer range 0 to t;
begin
  first             <= start or (first_before and not stepped);
  last              <= stepped or (last_before and not done);
  start_first_stage <= start or step;
  stepping_done     <= done;

  process (core_clk)
  begin
    if rising_edge(core_clk) then
      first_before <= first;
      last_before  <= last;
      step         <= first and odd;
      odd          <= odd xor first;
      stepped      <= '0';
      done         <= '0';
      if step = '1' then
        steps <= steps + 1;
        if steps = n_sel - 1 then
          steps   <= 0;
          stepped <= '1';
        end if;
      end if;
      if last = '1' then
        stages <= stages + 1;
        if stages = t_sel - 1 then
          stages <= 0;
          done   <= '1';
        end if;
      end if;
      if reset = '1' then
        first_before <= '0';
        last_before  <= '0';
        step         <= '0';
        odd          <= '0';
        stepped      <= '0';
        done         <= '0';
        steps        <= 0;
        stages       <= 0;
      end if;
    end if;
  end process;
end counted;
