// Two operations of a core in CXXRTL; in the first one a bit of its registers is flipped.
//
// yosys wrote the core with -g1, which lists what holds its state: registers, and memories. A bit is
// flipped between two clocks, so all that follows from it in the next clock sees the flipped bit.
// flips.py is the only user of the library.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#define CXXRTL_NDEBUG
#include <cxxrtl/cxxrtl.h>

#include "core.cc"

namespace {

// Something that holds state: `bits` in each of `rows`; registers have one row.
struct Place {
	std::string name;
	uint32_t *now, *next;  // next is null in memories, where nothing waits between two clocks
	size_t bits, rows;
};

template <size_t Bits> const uint32_t *bits(const cxxrtl::value<Bits> &port) { return port.data; }
template <size_t Bits> const uint32_t *bits(const cxxrtl::wire<Bits> &port) {
	return port.curr.data;
}

enum Status : int { ANSWERED = 0, SILENT = 1, TOO_MANY = 2 };

class Simulation {
public:
	Simulation() {
		cxxrtl_design::p_core probe;
		settles = probe.eval(nullptr);
		cxxrtl::debug_items items;
		core.debug_info(&items, nullptr, "");
		for (auto &[name, parts] : items.table)
			for (auto &part : parts) {
				if (part.type == CXXRTL_MEMORY)
					places.push_back({name, part.curr, nullptr, part.width, part.depth});
				else if (part.type == CXXRTL_WIRE && part.flags & CXXRTL_DRIVEN_SYNC)
					places.push_back({name, part.curr, part.next, part.width, 1});
			}
	}

	void reset() {
		core.p_rst.template set<bool>(true);
		clock();
		core.p_rst.template set<bool>(false);
	}

	// Send words to port k, or to port i, a word in each clock in which the port is ready.
	bool send(bool key, const uint32_t *words, size_t count, uint64_t limit) {
		for (size_t sent = 0; sent < count && limit != 0; limit--) {
			auto &valid = key ? core.p_k____valid : core.p_i____valid;
			(key ? core.p_k____payload : core.p_i____payload).data[0] = words[sent];
			valid.template set<bool>(true);
			settle();
			sent += *(key ? bits(core.p_k____ready) : bits(core.p_i____ready));
			core.commit();
			valid.template set<bool>(false);
			if (sent == count)
				return true;
		}
		return false;
	}

	// Take the words of a result. After `at` clocks a bit is flipped, unless there is no such place.
	int receive(uint32_t *words, size_t count, uint64_t limit, uint64_t drain, size_t place,
			size_t bit, uint64_t at) {
		core.p_o____ready.template set<bool>(true);
		size_t taken = 0;
		for (uint64_t now = 0; taken < count ? now < limit : drain-- != 0; now++) {
			if (now == at && place < places.size())
				flip(places[place], bit);
			settle();
			if (*bits(core.p_o____valid)) {
				if (taken == count)
					return TOO_MANY;
				words[taken++] = bits(core.p_o____payload)[0];
			}
			core.commit();
		}
		return taken == count ? ANSWERED : SILENT;
	}

	bool settles;
	std::vector<Place> places;

private:
	void settle() {
		core.prev_p_clk.template set<bool>(false);
		core.p_clk.template set<bool>(true);
		core.eval(nullptr);
	}

	void clock() {
		settle();
		core.commit();
	}

	static void flip(const Place &place, size_t bit) {
		const size_t chunks = (place.bits + 31) / 32;
		const size_t at = bit / place.bits * chunks + bit % place.bits / 32;
		const uint32_t mask = uint32_t(1) << bit % place.bits % 32;
		place.now[at] ^= mask;
		if (place.next != nullptr)
			place.next[at] ^= mask;
	}

	cxxrtl_design::p_core core;
};

}  // namespace

extern "C" {

// A line for each place: its index is that of the line. Null if the core does not settle in one
// evaluation.
const char *faults_places() {
	static std::string lines;
	Simulation core;
	lines.clear();
	for (auto &place : core.places)
		lines += std::to_string(place.bits) + " " +
			std::to_string(place.next == nullptr ? place.rows : 0) + " " + place.name + "\n";
	return core.settles ? lines.c_str() : nullptr;
}

// Sign two messages with one key, with a flip in the first signature; write their status and words.
// If there was no first result, the core is reset, and takes the key again. False if it does not
// take the key at first.
bool faults_sign(const uint32_t *key, size_t key_words, const uint32_t *messages, size_t words,
		uint64_t limit, uint64_t drain, size_t place, size_t bit, uint64_t at, int *status,
		uint32_t *results, size_t result_words) {
	Simulation core;
	core.reset();
	if (!core.send(true, key, key_words, limit))
		return false;
	for (int turn = 0; turn < 2; turn++) {
		status[turn] = SILENT;
		if (turn == 1 && status[0] == SILENT) {
			core.reset();
			if (!core.send(true, key, key_words, limit))
				break;
		}
		if (core.send(false, messages + turn * words, words, limit))
			status[turn] = core.receive(results + turn * result_words, result_words, limit, drain,
				turn == 0 ? place : core.places.size(), bit, at);
	}
	return true;
}

}  // extern "C"
