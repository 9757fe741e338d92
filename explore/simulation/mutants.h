// A core in Verilator with faults built in, each of which has a number: verilator.cc takes the class
// Faulty for the core, since what Verilator wrote includes this header at its end.

#include <cstdint>

namespace {

// The fault of the cores that are made from now on; 0 for none.
uint16_t fault;

struct Faulty : Vcore {
	explicit Faulty(VerilatedContext *context) : Vcore(context) { mutant = fault; }
};

}  // namespace

#define Vcore Faulty

extern "C" __attribute__((visibility("default"))) void simulation_switch_on(uint32_t number) {
	fault = number;
}
