// Feeds the streams of a core with words and collects its results, clock by clock.
//
// Compiled together with what yosys wrote of the core, which is always a module `core` with a clock,
// a reset and the two streams of montgomery.core.Signature. explore/simulation/compiled.py is the
// only user; explore/simulation/amaranth.py does the same on Amaranth's own simulator, clock for
// clock, and the tests compare the two.

#include <cstdint>

#define CXXRTL_NDEBUG
#include <cxxrtl/cxxrtl.h>

// The address of a memory of one word has no bits, of which CXXRTL would read the first 32.
namespace cxxrtl_yosys {
template <> inline memory_index::memory_index(const value<0> &, size_t offset, size_t depth)
	: valid(offset == 0 && depth > 0), index(0) {}
}

#include "core.cc"

#ifdef WAVEFORM
#include <cxxrtl/cxxrtl_vcd.h>
#include <fstream>
#endif

namespace {

using Core = cxxrtl_design::p_core;

enum Status : int { RUNNING = 0, DONE = 1, STALLED = 2, CHANGED = 3, TOO_MANY = 4 };

constexpr uint64_t NEVER = ~uint64_t(0);

// A port is a wire when a register drives it, and a plain value otherwise.
template <size_t Bits> const uint32_t *bits(const cxxrtl::value<Bits> &port) { return port.data; }
template <size_t Bits> const uint32_t *bits(const cxxrtl::wire<Bits> &port) {
	return port.curr.data;
}
template <size_t Bits> constexpr size_t chunks(const cxxrtl::value<Bits> &) {
	return cxxrtl::value<Bits>::chunks;
}
template <size_t Bits> constexpr size_t chunks(const cxxrtl::wire<Bits> &) {
	return cxxrtl::value<Bits>::chunks;
}

// Switch on a fault, in a core that has some built in.
template <class T> auto select(T &core, uint32_t number, int) -> decltype(core.p_mutant, bool()) {
	core.p_mutant.template set<uint32_t>(number);
	return true;
}
template <class T> bool select(T &, uint32_t, long) { return false; }

// Have the next evaluation see a rising edge, in a core where registers wait for one.
template <class T> auto raise_clock(T &core, int) -> decltype(core.prev_p_clk, bool()) {
	core.prev_p_clk.template set<bool>(false);
	core.p_clk.template set<bool>(true);
	return true;
}
template <class T> bool raise_clock(T &, long) { return false; }

// The clocks that are noted for each operation.
enum Time { FIRST_IN, LAST_IN, FIRST_READY, LAST_OUT, TIMES };

}  // namespace

// What one simulation is asked to do; mirrored in compiled.py.
struct Task {
	uint64_t operations;
	const uint32_t *in_sizes;   // words of each operation
	const uint32_t *out_sizes;  // words of each result, 1 or more
	const uint32_t *in_words;   // 32 bits at a time, lowest first
	uint32_t *out_words;        // the same
	uint64_t *times;            // four clocks an operation
	uint64_t seed;
	uint64_t i_gap, o_gap;      // of 2^32: how often there is no word, or none is taken
	uint64_t patience;          // clocks without a transfer after which the core hangs
	uint64_t prelude;           // clocks to run before a reset, after which all begins anew
	uint32_t chained;           // an operation begins when the result before it was received
	uint32_t mutant;            // which fault to switch on, 0 for none
	const char *waveform;       // file to write, or null
	uint64_t waveform_from;     // first clock in it
};

namespace {

class Simulation {
public:
	explicit Simulation(const Task &task)
		: _task(task), _done(task.operations), _random(task.seed) {
		// eval() returns a constant: whether one evaluation settles all there is.
		Core probe;
		_settles = probe.eval(nullptr) && raise_clock(probe, 0);
#ifdef WAVEFORM
		if (task.waveform != nullptr) {
			_settles = false;  // a waveform shows both edges
			_file.open(task.waveform);
			_vcd.timescale(1, "ns");
			cxxrtl::debug_items items;
			_core.debug_info(&items, nullptr, "");
			_vcd.add_without_memories(items);
		}
#endif
		// Faults at the outputs of registers cost them their initial values.
		if (select(_core, task.mutant, 0))
			reset();
		if (task.prelude != 0) {
			for (uint64_t clock = 0; clock < task.prelude && step() == RUNNING; clock++)
				;
			reset();
		}
	}

	Status run(uint64_t clocks) {
		for (; clocks != 0; clocks--) {
			Status status = step();
			if (status != RUNNING) {
#ifdef WAVEFORM
				flush();
#endif
				return status;
			}
		}
		return RUNNING;
	}

	uint64_t clock() const { return _clock; }
	uint64_t taken() const { return _taken; }

private:
	// splitmix64
	uint64_t random() {
		uint64_t z = (_random += 0x9e3779b97f4a7c15u);
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		return z ^ (z >> 31);
	}

	bool pauses(uint64_t gap) { return gap != 0 && (random() >> 32) < gap; }

	void reset() {
		_core.p_rst.template set<bool>(true);
		settle();
		finish();
		_core.p_rst.template set<bool>(false);
		for (uint64_t event = 0; event < TIMES * _done; event++)
			_task.times[event] = NEVER;
		_random = _task.seed;
		_clock = _last_event = _sent = _taken = 0;
		_word = _result = 0;
		_in = _out = 0;
		_held = false;
		_drained = 0;
	}

	// Compute the outputs of this clock; finish() ends it.
	void settle() {
		if (_settles) {
			raise_clock(_core, 0);
			_core.eval(nullptr);
		} else {
			_core.p_clk.template set<bool>(false);
			_core.step();
			sample(2 * _clock);
		}
	}

	void finish() {
		if (_settles) {
			_core.commit();
		} else {
			_core.p_clk.template set<bool>(true);
			_core.step();
			sample(2 * _clock + 1);
		}
		_clock++;
	}

	Status step() {
		if (_taken == _done)
			return drain();
		const Task &task = _task;
		bool offer = _sent < _done && (!task.chained || _sent == _taken || _word > 0);
		offer = !pauses(task.i_gap) && offer;
		bool accept = !pauses(task.o_gap);
		_core.p_i____valid.template set<bool>(offer);
		_core.p_o____ready.template set<bool>(accept);
		if (offer)
			for (size_t chunk = 0; chunk < chunks(_core.p_i____payload); chunk++)
				_core.p_i____payload.data[chunk] = task.in_words[_in + chunk];
		settle();
		if (offer && *bits(_core.p_i____ready)) {
			if (_word == 0)
				time(_sent, FIRST_IN) = _clock;
			time(_sent, LAST_IN) = _clock;
			_in += chunks(_core.p_i____payload);
			if (++_word == task.in_sizes[_sent])
				_sent++, _word = 0;
			_last_event = _clock;
		}
		bool valid = *bits(_core.p_o____valid);
		const uint32_t *payload = bits(_core.p_o____payload);
		const size_t size = chunks(_core.p_o____payload);
		uint32_t *out = task.out_words + _out;
		bool same = true;
		if (valid || _held) {
			for (size_t chunk = 0; chunk < size; chunk++) {
				same &= out[chunk] == payload[chunk];
				out[chunk] = payload[chunk];
			}
		}
		if (_held && !(valid && same))
			return CHANGED;
		_held = valid && !accept;
		if (valid) {
			if (time(_taken, FIRST_READY) == NEVER)
				time(_taken, FIRST_READY) = _clock;
			if (accept) {
				time(_taken, LAST_OUT) = _clock;
				_out += size;
				if (++_result == task.out_sizes[_taken])
					_taken++, _result = 0;
			}
			_last_event = _clock;
		}
		finish();
		return _clock - _last_event > task.patience ? STALLED : RUNNING;
	}

	// Nothing may follow the last result.
	Status drain() {
		_core.p_i____valid.template set<bool>(false);
		_core.p_o____ready.template set<bool>(true);
		settle();
		if (*bits(_core.p_o____valid))
			return TOO_MANY;
		finish();
		return ++_drained == 8 ? DONE : RUNNING;
	}

	uint64_t &time(uint64_t operation, Time event) {
		return _task.times[TIMES * operation + event];
	}

#ifdef WAVEFORM
	void sample(uint64_t time) {
		if (_task.waveform != nullptr && time >= 2 * _task.waveform_from) {
			_vcd.sample(time);
			if (_vcd.buffer.size() > (1 << 20))
				flush();
		}
	}

	void flush() {
		_file << _vcd.buffer;
		_file.flush();
		_vcd.buffer.clear();
	}

	cxxrtl::vcd_writer _vcd;
	std::ofstream _file;
#else
	void sample(uint64_t) {}
#endif

	Core _core;
	const Task _task;
	const uint64_t _done;
	uint64_t _random;
	bool _settles;
	uint64_t _clock = 0, _last_event = 0;
	uint64_t _sent = 0, _taken = 0;    // operations
	uint32_t _word = 0, _result = 0;   // words of the current ones
	size_t _in = 0, _out = 0;          // places in the arrays
	bool _held = false;                // a result word was offered and not taken
	uint32_t _drained = 0;
};

}  // namespace

extern "C" {

// 32-bit parts of a word of each stream.
uint32_t simulation_i_chunks() { return chunks(Core().p_i____payload); }
uint32_t simulation_o_chunks() { return chunks(Core().p_o____payload); }

void *simulation_new(const Task *task) { return new Simulation(*task); }
void simulation_delete(void *simulation) { delete static_cast<Simulation *>(simulation); }

// Run for some clocks; returns a Status.
int simulation_run(void *simulation, uint64_t clocks) {
	return static_cast<Simulation *>(simulation)->run(clocks);
}
uint64_t simulation_clock(void *simulation) {
	return static_cast<Simulation *>(simulation)->clock();
}
uint64_t simulation_taken(void *simulation) {
	return static_cast<Simulation *>(simulation)->taken();
}

}  // extern "C"
