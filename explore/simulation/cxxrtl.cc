// A core in CXXRTL: what yosys wrote of it, with the loop that drives its streams.
//
// The core is always a module `core` with a clock, a reset and the streams of
// montgomery.core.Signature.

#include <cstdint>
#include <type_traits>

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

// A port is a wire when a register drives it, and a plain value otherwise.
template <size_t Bits> const uint32_t *bits(const cxxrtl::value<Bits> &port) { return port.data; }
template <size_t Bits> const uint32_t *bits(const cxxrtl::wire<Bits> &port) {
	return port.curr.data;
}
template <class Port> struct Chunks;
template <size_t Bits> struct Chunks<cxxrtl::value<Bits>> {
	static constexpr size_t count = cxxrtl::value<Bits>::chunks;
};
template <size_t Bits> struct Chunks<cxxrtl::wire<Bits>> : Chunks<cxxrtl::value<Bits>> {};

// Switch on a fault, in a core that has some built in.
template <class T> auto switch_on(T &core, uint32_t number, int) -> decltype(core.p_mutant, bool()) {
	core.p_mutant.template set<uint32_t>(number);
	return true;
}
template <class T> bool switch_on(T &, uint32_t, long) { return false; }

// Port k, which a core has or not.
template <class T> auto key_chunks(int)
	-> decltype(T::p_k____payload, std::integral_constant<size_t, Chunks<decltype(T::p_k____payload)>::count>());
template <class T> std::integral_constant<size_t, 0> key_chunks(long);
template <class T> auto offer_key(T &core, bool value, int) -> decltype(core.p_k____valid, void()) {
	core.p_k____valid.template set<bool>(value);
}
template <class T> void offer_key(T &, bool, long) {}
template <class T> auto send_key(T &core, const uint32_t *word, int)
	-> decltype(core.p_k____payload, void()) {
	for (size_t chunk = 0; chunk < decltype(key_chunks<T>(0))::value; chunk++)
		core.p_k____payload.data[chunk] = word[chunk];
}
template <class T> void send_key(T &, const uint32_t *, long) {}
template <class T> auto k_ready(const T &core, int) -> decltype(core.p_k____ready, bool()) {
	return *bits(core.p_k____ready);
}
template <class T> bool k_ready(const T &, long) { return false; }

// Have the next evaluation see a rising edge, in a core where registers wait for one.
template <class T> auto raise_clock(T &core, int) -> decltype(core.prev_p_clk, bool()) {
	core.prev_p_clk.template set<bool>(false);
	core.p_clk.template set<bool>(true);
	return true;
}
template <class T> bool raise_clock(T &, long) { return false; }

class Model {
public:
	static constexpr const char *ENGINE = "cxxrtl";
	static constexpr size_t I_CHUNKS = Chunks<decltype(Core::p_i____payload)>::count;
	static constexpr size_t O_CHUNKS = Chunks<decltype(Core::p_o____payload)>::count;
	static constexpr size_t K_CHUNKS = decltype(key_chunks<Core>(0))::value;

	Model() {
		// eval() returns a constant: whether one evaluation settles all there is.
		Core probe;
		_settles = probe.eval(nullptr) && raise_clock(probe, 0);
	}

	bool select(uint32_t number) { return switch_on(_core, number, 0); }
	void reset(bool value) { _core.p_rst.template set<bool>(value); }
	void offer(bool value) { _core.p_i____valid.template set<bool>(value); }
	void accept(bool value) { _core.p_o____ready.template set<bool>(value); }
	void send(const uint32_t *word) {
		for (size_t chunk = 0; chunk < I_CHUNKS; chunk++)
			_core.p_i____payload.data[chunk] = word[chunk];
	}
	void offer_key(bool value) { ::offer_key(_core, value, 0); }
	void send_key(const uint32_t *word) { ::send_key(_core, word, 0); }
	bool i_ready() const { return *bits(_core.p_i____ready); }
	bool k_ready() const { return ::k_ready(_core, 0); }
	bool o_valid() const { return *bits(_core.p_o____valid); }
	uint32_t o_payload(size_t chunk) const { return bits(_core.p_o____payload)[chunk]; }

	void settle() {
		if (_settles) {
			raise_clock(_core, 0);
			_core.eval(nullptr);
		} else {
			_core.p_clk.template set<bool>(false);
			_core.step();
			sample();
		}
	}

	void finish() {
		if (_settles) {
			_core.commit();
		} else {
			_core.p_clk.template set<bool>(true);
			_core.step();
			sample();
		}
	}

#ifdef WAVEFORM
	void open(const char *path, uint64_t from) {
		_settles = false;  // a waveform shows both edges
		_from = 2 * from;
		_file.open(path);
		_vcd.timescale(1, "ns");
		cxxrtl::debug_items items;
		_core.debug_info(&items, nullptr, "");
		_vcd.add_without_memories(items);
	}

	void close() {
		_file << _vcd.buffer;
		_file.flush();
		_vcd.buffer.clear();
	}

private:
	void sample() {
		if (!_file.is_open())
			return;
		if (_time >= _from)
			_vcd.sample(_time);
		_time++;
		if (_vcd.buffer.size() > (1 << 20))
			close();
	}

	cxxrtl::vcd_writer _vcd;
	std::ofstream _file;
	uint64_t _time = 0, _from = 0;
#else
	void open(const char *, uint64_t) {}
	void close() {}

private:
	void sample() {}
#endif

	Core _core;
	bool _settles;
};

}  // namespace

#include "driver.h"
