"""Simulates a core by a library that was compiled from it, by way of CXXRTL or Verilator."""

from __future__ import annotations

import array
import ctypes
import time
from collections.abc import Sequence
from pathlib import Path

from .engine import NEVER, Mismatch, Progress, Stimulus, Times, Trace, broken_rule

__all__ = ["CompiledEngine"]

_RUNNING, _DONE = 0, 1
_RULES = {2: "stalled", 3: "changed", 4: "too many"}
_TIMES, _FIRST_IN = 6, 2
#: Clocks between two reports of progress; Ctrl-C has an effect only then.
_SLICE = 1 << 14


class _Task(ctypes.Structure):
    """The structure ``Task`` of driver.h."""

    _fields_ = [
        ("operations", ctypes.c_uint64),
        ("in_sizes", ctypes.c_void_p), ("key_sizes", ctypes.c_void_p),
        ("superseded", ctypes.c_void_p),
        ("out_sizes", ctypes.c_void_p), ("in_words", ctypes.c_void_p),
        ("key_words", ctypes.c_void_p), ("out_words", ctypes.c_void_p), ("times", ctypes.c_void_p),
        ("seed", ctypes.c_uint64), ("i_gap", ctypes.c_uint64), ("o_gap", ctypes.c_uint64),
        ("k_gap", ctypes.c_uint64), ("burst", ctypes.c_uint64), ("calm", ctypes.c_uint64),
        ("patience", ctypes.c_uint64), ("prelude", ctypes.c_uint64), ("drain", ctypes.c_uint64),
        ("chained", ctypes.c_uint32), ("eager", ctypes.c_uint32),
        ("blocked", ctypes.c_uint32), ("hesitant", ctypes.c_uint32),
        ("mutant", ctypes.c_uint32),
        ("i_width", ctypes.c_uint32), ("k_width", ctypes.c_uint32),
        ("waveform", ctypes.c_char_p), ("waveform_from", ctypes.c_uint64)]


class CompiledEngine:
    """An :class:`explore.simulation.engine.Engine` for the core in a library, which
    :func:`explore.simulation.build.build` made.

    The fault in the core whose number is ``mutant`` is switched on; 0 is none. The ``name`` is
    ``cxxrtl`` or ``verilator``. :exc:`OSError` is raised if the library cannot be loaded.
    """

    def __init__(self, library: Path, mutant: int = 0) -> None:
        self._library = ctypes.CDLL(str(library))
        self._mutant = mutant
        for name, arguments, result in (
                ("engine", [], ctypes.c_char_p),
                ("i_chunks", [], ctypes.c_uint32), ("o_chunks", [], ctypes.c_uint32),
                ("k_chunks", [], ctypes.c_uint32),
                ("new", [ctypes.POINTER(_Task)], ctypes.c_void_p),
                ("delete", [ctypes.c_void_p], None),
                ("run", [ctypes.c_void_p, ctypes.c_uint64], ctypes.c_int),
                ("clock", [ctypes.c_void_p], ctypes.c_uint64),
                ("taken", [ctypes.c_void_p], ctypes.c_uint64)):
            function = getattr(self._library, f"simulation_{name}")
            function.argtypes, function.restype = arguments, result
        self.name = self._library.simulation_engine().decode()
        self._i_chunks = self._library.simulation_i_chunks()
        self._o_chunks = self._library.simulation_o_chunks()
        self._k_chunks = self._library.simulation_k_chunks()

    def run(self, stimulus: Stimulus, progress: Progress | None = None,
            waveform: Path | None = None, waveform_from: int = 0) -> Trace:
        count = len(stimulus.words)
        in_sizes = array.array("I", map(len, stimulus.words))
        key_sizes = array.array("I", map(len, stimulus.keys or [()] * count))
        superseded = array.array("I", stimulus.superseded or [0] * count)
        out_sizes = array.array("I", stimulus.results)
        in_words = _pack(stimulus.words, self._i_chunks)
        key_words = _pack(stimulus.keys, self._k_chunks)
        out_words = array.array("I", bytes(4 * self._o_chunks * sum(out_sizes)))
        times = array.array("Q", b"\xff" * (8 * _TIMES * count))
        task = _Task(
            operations=count, in_sizes=_address(in_sizes), key_sizes=_address(key_sizes),
            superseded=_address(superseded),
            out_sizes=_address(out_sizes), in_words=_address(in_words),
            key_words=_address(key_words), out_words=_address(out_words), times=_address(times),
            seed=stimulus.seed & NEVER, i_gap=int(stimulus.i_gap * (1 << 32)),
            o_gap=int(stimulus.o_gap * (1 << 32)), k_gap=int(stimulus.k_gap * (1 << 32)),
            burst=stimulus.burst, calm=stimulus.calm, patience=stimulus.patience,
            prelude=stimulus.prelude, drain=stimulus.drain, chained=stimulus.chain,
            eager=stimulus.eager, blocked=stimulus.blocked, hesitant=stimulus.hesitant,
            mutant=self._mutant, i_width=stimulus.i_width, k_width=stimulus.k_width,
            waveform=str(waveform).encode() if waveform else None, waveform_from=waveform_from)
        begin = time.perf_counter()
        simulation = self._library.simulation_new(task)
        try:
            status = _RUNNING
            while status == _RUNNING:
                status = self._library.simulation_run(simulation, _SLICE)
                if progress is not None:
                    progress(self._library.simulation_taken(simulation), count)
            clocks = self._library.simulation_clock(simulation)
            taken = self._library.simulation_taken(simulation)
        finally:
            self._library.simulation_delete(simulation)
        seconds = time.perf_counter() - begin
        if status != _DONE:
            index = min(taken, count - 1)
            begin = times[_TIMES * index + _FIRST_IN]
            raise Mismatch(broken_rule(_RULES[status], clocks, stimulus.patience), index,
                           0 if begin == NEVER else begin)
        return Trace(_unpack(out_words, self._o_chunks, out_sizes),
                     [Times(*times[_TIMES * index:_TIMES * (index + 1)])
                      for index in range(count)], clocks, seconds)


def _address(numbers: array.array) -> int:
    return numbers.buffer_info()[0]


def _pack(operations: Sequence[Sequence[int]], chunks: int) -> array.array:
    """Return the words of all operations as numbers of 32 bits, the lowest of each word first."""
    words = [word for each in operations for word in each]
    if chunks == 1:
        return array.array("I", words)
    return array.array("I", b"".join(word.to_bytes(4 * chunks, "little") for word in words))


def _unpack(numbers: array.array, chunks: int, sizes: Sequence[int]) -> list[list[int]]:
    """Return the words of each result; the n-th result has ``sizes[n]`` words."""
    words: Sequence[int] = numbers
    if chunks > 1:
        size, data = 4 * chunks, numbers.tobytes()
        words = [int.from_bytes(data[at:at + size], "little")
                 for at in range(0, len(data), size)]
    results, at = [], 0
    for size in sizes:
        results.append(list(words[at:at + size]))
        at += size
    return results
