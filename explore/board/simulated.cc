// A board with a serial line, fed with bytes as they come.
//
// Compiled together with what yosys wrote of boards.line.Line, in place of the loop of driver.h.
// explore/board/simulated.py is the only user.

#include "cxxrtl.cc"

namespace {

class Board {
public:
	Board() {
		Core probe;
		_settles = probe.eval(nullptr) && raise_clock(probe, 0);
		_core.p_o____ready.template set<bool>(true);
	}

	// Run for some clocks; returns the number of bytes taken from `in`.
	size_t run(uint64_t clocks, const uint8_t *in, size_t in_size, uint8_t *out, size_t *out_size) {
		size_t taken = 0, room = *out_size;
		*out_size = 0;
		for (; clocks != 0 && *out_size < room; clocks--) {
			bool offer = taken < in_size;
			_core.p_i____valid.template set<bool>(offer);
			if (offer)
				_core.p_i____payload.template set<uint8_t>(in[taken]);
			if (_settles) {
				raise_clock(_core, 0);
				_core.eval(nullptr);
			} else {
				_core.p_clk.template set<bool>(false);
				_core.step();
			}
			if (offer && *bits(_core.p_i____ready))
				taken++;
			if (*bits(_core.p_o____valid))
				out[(*out_size)++] = *bits(_core.p_o____payload);
			if (_settles) {
				_core.commit();
			} else {
				_core.p_clk.template set<bool>(true);
				_core.step();
			}
		}
		return taken;
	}

	bool busy() const { return *bits(_core.p_busy); }

private:
	Core _core;
	bool _settles;
};

}  // namespace

extern "C" {

void *board_new() { return new Board(); }
void board_delete(void *board) { delete static_cast<Board *>(board); }
size_t board_run(void *board, uint64_t clocks, const uint8_t *in, size_t in_size, uint8_t *out,
		 size_t *out_size) {
	return static_cast<Board *>(board)->run(clocks, in, in_size, out, out_size);
}
bool board_busy(void *board) { return static_cast<Board *>(board)->busy(); }

}  // extern "C"
