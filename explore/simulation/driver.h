// Feeds the streams of a core with words and collects its results, clock by clock.
//
// The source that includes this header defines the class `Model` before, which is one core in one
// simulator: see cxxrtl.cc and verilator.cc. explore/simulation/compiled.py is the only user of the
// library; explore/simulation/amaranth.py does the same on Amaranth's own simulator, clock for
// clock, and the tests compare all three. The members of `Model` are
//
//   ENGINE                         the name of the simulator
//   I_CHUNKS, O_CHUNKS, K_CHUNKS   numbers of 32 bits of a word of each stream, lowest first; the
//                                  last is 0 for a core without port k
//   reset(bool)                    drives the reset
//   offer(bool), send(uint32_t *)  drive `valid` and `payload` of port i
//   offer_key(bool), send_key(uint32_t *)
//                                  drive those of port k
//   accept(bool)                   drives `ready` of port o
//   settle(), finish()             compute the outputs of a clock; end the clock
//   i_ready(), k_ready(), o_valid(), o_payload(chunk)
//                                  are the outputs
//   select(uint32_t)               switches on a fault; returns whether the core has any built in
//   open(char *, uint64_t)         writes a waveform of the clocks to come, but for the first ones
//   close()                        writes the end of the waveform

#pragma once

#include <cstddef>
#include <cstdint>

// What one simulation is asked to do; mirrored in compiled.py.
struct Task {
	uint64_t operations;
	const uint32_t *in_sizes;   // words of each operation
	const uint32_t *key_sizes;  // words of the key that comes before it, 0 if the last one stays
	const uint32_t *superseded; // words of that key which belong to one that is not used
	const uint32_t *out_sizes;  // words of each result, 1 or more
	const uint32_t *in_words;   // 32 bits at a time, lowest first
	const uint32_t *key_words;  // the same
	uint32_t *out_words;        // the same
	uint64_t *times;            // TIMES clocks for each operation
	uint64_t seed;
	uint64_t i_gap, o_gap, k_gap; // of 2^32: how often there is no word, or none is taken
	uint64_t burst;             // clocks that such a pause lasts at most
	uint64_t calm;              // results after which there are no pauses; 0 for never
	uint64_t patience;          // clocks without a transfer after which the core hangs
	uint64_t prelude;           // clocks to run before a reset, after which all begins anew
	uint64_t drain;             // clocks after the last result in which no word may come
	uint32_t chained;           // a Chain
	uint32_t eager;             // offer the first word of an operation beside those of its key
	uint32_t blocked;           // take no word of a result in the prelude
	uint32_t hesitant;          // take a word only after a clock in which it was offered
	uint32_t mutant;            // which fault to switch on, 0 for none
	uint32_t i_width, k_width;  // bits of a word of ports i and k
	const char *waveform;       // file to write, or null
	uint64_t waveform_from;     // first clock in it
};

namespace {

enum Status : int { RUNNING = 0, DONE = 1, STALLED = 2, CHANGED = 3, TOO_MANY = 4 };

// When an operation begins: at once, with the first words of the result before it, or after them.
enum Chain : uint32_t { NONE = 0, WORDS = 1, RESULTS = 2 };

// The clocks that are noted for each operation.
enum Time { FIRST_KEY, LAST_KEY, FIRST_IN, LAST_IN, FIRST_READY, LAST_OUT, TIMES };

constexpr uint64_t NEVER = ~uint64_t(0);

// The complement of a word.
template <size_t Chunks> class Complement {
public:
	const uint32_t *of(const uint32_t *word, uint32_t width) {
		for (size_t chunk = 0; chunk < Chunks; chunk++)
			_word[chunk] = ~word[chunk];
		if (width % 32 != 0)
			_word[Chunks - 1] &= (uint32_t(1) << width % 32) - 1;
		return _word;
	}

private:
	uint32_t _word[Chunks];
};
template <> class Complement<0> {
public:
	const uint32_t *of(const uint32_t *word, uint32_t) { return word; }
};

class Simulation {
public:
	explicit Simulation(const Task &task)
		: _task(task), _done(task.operations), _random(task.seed) {
		// Faults at the outputs of registers cost them their initial values.
		if (_model.select(task.mutant))
			reset();
		if (task.prelude != 0) {
			_blocked = task.blocked != 0;
			for (uint64_t clock = 0; clock < task.prelude && step() == RUNNING; clock++)
				;
			_blocked = false;
			reset();
		}
		if (task.waveform != nullptr)
			_model.open(task.waveform, task.waveform_from);
	}

	Status run(uint64_t clocks) {
		for (; clocks != 0; clocks--) {
			Status status = step();
			if (status != RUNNING) {
				if (_task.waveform != nullptr)
					_model.close();
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

	// Whether a stream pauses in this clock. `left` counts the other clocks of its pause.
	bool pauses(uint64_t gap, uint64_t &left) {
		if (_task.calm != 0 && _taken >= _task.calm)
			return false;
		if (left != 0)
			return left--;
		if (gap == 0 || (random() >> 32) >= gap)
			return false;
		if (_task.burst > 1)
			left = random() % _task.burst;
		return true;
	}

	void reset() {
		_model.reset(true);
		_model.settle();
		_model.finish();
		_model.reset(false);
		for (uint64_t event = 0; event < TIMES * _done; event++)
			_task.times[event] = NEVER;
		_random = _task.seed;
		_clock = _last_event = _keyed = _sent = _taken = 0;
		_key_word = _word = _result = 0;
		_key = _in = _out = 0;
		_i_pause = _o_pause = _k_pause = 0;
		_held = _told = false;
		_drained = 0;
	}

	Status step() {
		if (_taken == _done)
			return drain();
		const Task &task = _task;
		// The key of an operation goes before its first word, and after the first word of the
		// operation before. So it comes while that one is under way.
		const uint64_t next = _sent + (_word > 0);
		while (_keyed < _done && task.key_sizes[_keyed] == 0)
			_keyed++;
		const bool pause = pauses(task.i_gap, _i_pause);
		bool offer_key = _keyed < _done && _keyed == next
			&& (task.chained == NONE || _key_word > 0 || _keyed == _taken);
		offer_key = !(Model::K_CHUNKS != 0 && pauses(task.k_gap, _k_pause)) && offer_key;
		// The first operation of all is offered before there is a key, others a clock after one.
		const bool told = _told && offer_key;
		const bool beside = task.eager && _keyed < _done && _keyed == _sent
			&& (_sent == 0 || _key_word + told > task.superseded[_keyed]);
		const bool offer = _sent < _done && (_word > 0 || _keyed > _sent || beside) && follows()
			&& !pause;
		const bool accept = !pauses(task.o_gap, _o_pause) && !_blocked
			&& (!task.hesitant || _held);
		_model.offer(offer);
		_model.offer_key(offer_key);
		_model.accept(accept);
		// What is there while no word is offered is as wrong as it can be.
		if (offer)
			_model.send(task.in_words + _in);
		else if (_sent < _done)
			_model.send(_i_wrong.of(task.in_words + _in, task.i_width));
		if (offer_key)
			_model.send_key(task.key_words + _key);
		else if (Model::K_CHUNKS != 0 && _keyed < _done)
			_model.send_key(_k_wrong.of(task.key_words + _key, task.k_width));
		_model.settle();
		_told = offer_key;
		if (offer_key && _model.k_ready()) {
			if (_key_word == 0)
				time(_keyed, FIRST_KEY) = _clock;
			time(_keyed, LAST_KEY) = _clock;
			_key += Model::K_CHUNKS;
			if (++_key_word == task.key_sizes[_keyed])
				_keyed++, _key_word = 0;
			_last_event = _clock;
		}
		if (offer && _model.i_ready()) {
			if (_word == 0)
				time(_sent, FIRST_IN) = _clock;
			time(_sent, LAST_IN) = _clock;
			_in += Model::I_CHUNKS;
			if (++_word == task.in_sizes[_sent])
				_sent++, _word = 0;
			_last_event = _clock;
		}
		bool valid = _model.o_valid();
		uint32_t *out = task.out_words + _out;
		bool same = true;
		if (valid || _held) {
			for (size_t chunk = 0; chunk < Model::O_CHUNKS; chunk++) {
				const uint32_t payload = _model.o_payload(chunk);
				same &= out[chunk] == payload;
				out[chunk] = payload;
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
				_out += Model::O_CHUNKS;
				if (++_result == task.out_sizes[_taken])
					_taken++, _result = 0;
			}
			_last_event = _clock;
		}
		finish();
		return _clock - _last_event > task.patience ? STALLED : RUNNING;
	}

	// Whether the words of results are there of which the next word might be made.
	bool follows() const {
		if (_task.chained == NONE || _sent == _taken)
			return true;
		if (_task.chained == RESULTS || _sent != _taken + 1)
			return false;
		// The same share of the words of the result as of those of the operation.
		return uint64_t(_result) * _task.in_sizes[_sent]
			>= uint64_t(_word + 1) * _task.out_sizes[_taken];
	}

	// Nothing may follow the last result.
	Status drain() {
		_model.offer(false);
		_model.offer_key(false);
		_model.accept(true);
		_model.settle();
		if (_model.o_valid())
			return TOO_MANY;
		finish();
		return ++_drained == _task.drain ? DONE : RUNNING;
	}

	void finish() {
		_model.finish();
		_clock++;
	}

	uint64_t &time(uint64_t operation, Time event) {
		return _task.times[TIMES * operation + event];
	}

	Model _model;
	const Task _task;
	const uint64_t _done;
	uint64_t _random;
	uint64_t _clock = 0, _last_event = 0;
	uint64_t _keyed = 0, _sent = 0, _taken = 0;         // operations
	uint32_t _key_word = 0, _word = 0, _result = 0;     // words of the current ones
	size_t _key = 0, _in = 0, _out = 0;                 // places in the arrays
	bool _held = false;                // a result word was offered and not taken
	bool _told = false;                // a word of a key was offered in the clock before
	bool _blocked = false;             // no word is taken
	uint64_t _i_pause = 0, _o_pause = 0, _k_pause = 0;  // clocks
	uint64_t _drained = 0;
	Complement<Model::I_CHUNKS> _i_wrong;
	Complement<Model::K_CHUNKS> _k_wrong;
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const char *simulation_engine() { return Model::ENGINE; }

// 32-bit parts of a word of each stream.
uint32_t simulation_i_chunks() { return Model::I_CHUNKS; }
uint32_t simulation_o_chunks() { return Model::O_CHUNKS; }
uint32_t simulation_k_chunks() { return Model::K_CHUNKS; }

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
#pragma GCC visibility pop
