// Runs the SoC in Verilator, and prints what it sends over its serial line.
//
// SPDX-License-Identifier: BSD-2-Clause
#include <cstdint>
#include <cstdio>

#include "Vsim.h"

int main()
{
    static Vsim soc;
    std::uint64_t clocks = 0;
    soc.serial_source_ready = 1;
    for (;;) {
        soc.sys_clk = 0;
        soc.eval();
        if (soc.serial_source_valid && soc.serial_source_data != '\r') {
            if (soc.serial_source_data == '\n')
                std::printf(" (clock %llu)", static_cast<unsigned long long>(clocks));
            std::putchar(soc.serial_source_data);
            std::fflush(stdout);
        }
        soc.sys_clk = 1;
        soc.eval();
        clocks++;
    }
}
