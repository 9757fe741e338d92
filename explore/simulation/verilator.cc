// A core in Verilator: what Verilator wrote of it, with the loop that drives its streams.
//
// The core is always a module `core` with a clock, a reset and the streams of
// montgomery.core.Signature. Verilator writes the underscores of i__valid as in i___05Fvalid.

#ifdef WAVEFORM
// Few libraries need this part of the runtime.
#include "verilated_vcd_c.cpp"
#endif

// The list of the files that Verilator wrote.
#include "core.cc"

#include <type_traits>


namespace {

// A port is an integer of up to 64 bits, or an array of 32 bits each.
template <class Port> struct Chunks {
	static constexpr size_t count = sizeof(Port) > 4 ? 2 : 1;
	static uint32_t get(const Port &port, size_t chunk) { return port >> 32 * chunk; }
	static void set(Port &port, const uint32_t *word) {
		uint64_t value = word[0];
		if (count == 2)
			value |= uint64_t(word[count - 1]) << 32;
		port = value;
	}
};
template <size_t Words> struct Chunks<VlWide<Words>> {
	static constexpr size_t count = Words;
	static uint32_t get(const VlWide<Words> &port, size_t chunk) { return port[chunk]; }
	static void set(VlWide<Words> &port, const uint32_t *word) {
		for (size_t chunk = 0; chunk < Words; chunk++)
			port[chunk] = word[chunk];
	}
};
template <class Port> using ChunksOf = Chunks<std::remove_reference_t<Port>>;

// Port k, which a core has or not.
template <class T> auto key_chunks(int) -> ChunksOf<decltype(T::k___05Fpayload)>;
struct NoKey { static constexpr size_t count = 0; };
template <class T> NoKey key_chunks(long);
template <class T> auto offer_key(T &core, bool value, int) -> decltype(core.k___05Fvalid, void()) {
	core.k___05Fvalid = value;
}
template <class T> void offer_key(T &, bool, long) {}
template <class T> auto send_key(T &core, const uint32_t *word, int)
	-> decltype(core.k___05Fpayload, void()) {
	decltype(key_chunks<T>(0))::set(core.k___05Fpayload, word);
}
template <class T> void send_key(T &, const uint32_t *, long) {}
template <class T> auto k_ready(const T &core, int) -> decltype(core.k___05Fready, bool()) {
	return core.k___05Fready;
}
template <class T> bool k_ready(const T &, long) { return false; }

class Model {
	using Input = ChunksOf<decltype(Vcore::i___05Fpayload)>;
	using Output = ChunksOf<decltype(Vcore::o___05Fpayload)>;

public:
	static constexpr const char *ENGINE = "verilator";
	static constexpr size_t I_CHUNKS = Input::count;
	static constexpr size_t O_CHUNKS = Output::count;
	static constexpr size_t K_CHUNKS = decltype(key_chunks<Vcore>(0))::count;

	Model() : _core(traced(_context)) {
		// Until the first evaluation, registers have no initial values.
		_core.clk = 0;
		_core.rst = 0;
		_core.eval();
	}

	bool select(uint32_t) { return false; }
	void reset(bool value) { _core.rst = value; }
	void offer(bool value) { _core.i___05Fvalid = value; }
	void accept(bool value) { _core.o___05Fready = value; }
	void send(const uint32_t *word) { Input::set(_core.i___05Fpayload, word); }
	void offer_key(bool value) { ::offer_key(_core, value, 0); }
	void send_key(const uint32_t *word) { ::send_key(_core, word, 0); }
	bool i_ready() const { return _core.i___05Fready; }
	bool k_ready() const { return ::k_ready(_core, 0); }
	bool o_valid() const { return _core.o___05Fvalid; }
	uint32_t o_payload(size_t chunk) const { return Output::get(_core.o___05Fpayload, chunk); }

	void settle() {
		_core.clk = 0;
		_core.eval();
		sample();
	}

	void finish() {
		_core.clk = 1;
		_core.eval();
		sample();
	}

#ifdef WAVEFORM
	void open(const char *path, uint64_t from) {
		_from = 2 * from;
		_core.trace(&_vcd, 99);
		_vcd.open(path);
	}

	void close() { _vcd.close(); }

private:
	static VerilatedContext *traced(VerilatedContext &context) {
		context.traceEverOn(true);
		return &context;
	}

	void sample() {
		if (_vcd.isOpen() && _time >= _from)
			_vcd.dump(_time);
		_time += _vcd.isOpen();
	}

	uint64_t _time = 0, _from = 0;
	VerilatedContext _context;
	Vcore _core;
	VerilatedVcdC _vcd;
#else
	void open(const char *, uint64_t) {}
	void close() {}

private:
	static VerilatedContext *traced(VerilatedContext &context) { return &context; }
	void sample() {}

	VerilatedContext _context;
	Vcore _core;
#endif
};

}  // namespace

#include "driver.h"
