// One operation of a core in CXXRTL, in which one bit of its registers is flipped.
//
// yosys wrote the core with -g1, which lists what holds its state: registers, and memories. A bit is
// flipped between two clocks, so all that follows from it in the next clock sees the flipped bit.
// rsa_faults.py is the only user of the library.

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

// Null if the core does not settle in one evaluation.
Simulation *faults_new() {
	auto *made = new Simulation;
	if (made->settles)
		return made;
	delete made;
	return nullptr;
}
void faults_delete(Simulation *made) { delete made; }

size_t faults_places(Simulation *made) { return made->places.size(); }
const char *faults_name(Simulation *made, size_t place) { return made->places[place].name.c_str(); }
size_t faults_bits(Simulation *made, size_t place) { return made->places[place].bits; }
// Rows of a memory; 0 of a register.
size_t faults_rows(Simulation *made, size_t place) {
	return made->places[place].next == nullptr ? made->places[place].rows : 0;
}

void faults_reset(Simulation *made) { made->reset(); }
int faults_send(Simulation *made, int key, const uint32_t *words, size_t count, uint64_t limit) {
	return made->send(key, words, count, limit);
}
int faults_receive(Simulation *made, uint32_t *words, size_t count, uint64_t limit, uint64_t drain,
		size_t place, size_t bit, uint64_t at) {
	return made->receive(words, count, limit, drain, place, bit, at);
}

}  // extern "C"
