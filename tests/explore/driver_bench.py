"""A core behind registers as a C program sees it: the driver, compiled for this machine."""

import ctypes
import subprocess

from explore.export import driver
from montgomery.bus.registers import RegisterMap
from montgomery.core import ceil_div, results_of

__all__ = ["CONTROL", "ERRORS", "STATUS", "WARNINGS", "Device", "Registers", "built", "number"]

ERRORS = ("OK", "NO_CORE", "WRONG_CORE", "BUSY", "NO_KEY", "WORDS", "REFUSED", "TIMEOUT", "RANGE",
          "INVALID", "ABORTED")
CONTROL, STATUS = 0x20, 0x24
BUSY, DONE, REFUSED, HAS_KEY, ERROR_WORDS = 1, 2, 4, 8, 0x400
WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")

_ACCESS = """
#include <stdint.h>
extern uint32_t (*on_read)(uintptr_t);
extern void (*on_write)(uintptr_t, uint32_t);
#define mont_read(address) on_read(address)
#define mont_write(address, value) on_write(address, value)
"""

_READ = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_size_t)
_WRITE = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_uint32)


class _In(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class _Out(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _Mont(ctypes.Structure):
    WAIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    RANDOM = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)
    _fields_ = [("core", ctypes.c_void_p), ("base", ctypes.c_size_t), ("error", ctypes.c_int),
                ("aborted", ctypes.c_int), ("polls", ctypes.c_uint32), ("wait", WAIT),
                ("random", RANDOM), ("public_exponent", ctypes.c_uint32), ("order", _In),
                ("modulus", _In)]


def built(cores, folder):
    """Return the driver as a library, with the data of cores, by their places in the list."""
    texts = {"access.h": _ACCESS}
    for index, params in enumerate(cores):
        texts |= driver.files(params, RegisterMap(params), f"c{index}")
    names = range(len(cores))
    texts["all.c"] = "\n".join([
        *(f'#include "c{index}.h"' for index in names), "uint32_t (*on_read)(uintptr_t);",
        "void (*on_write)(uintptr_t, uint32_t);", "const struct mont_core *const all[] = {",
        *(f"    &c{index}_core," for index in names), "};",
        "uint32_t *const memory[] = {", *(f"    c{index}_work," for index in names), "};",
        "const size_t memory_words[] = {", *(f"    MONT_C{index}_WORK," for index in names), "};"])
    for name, text in texts.items():
        (folder / name).write_text(text)
    subprocess.run(["cc", *WARNINGS, "-O1", "-fsanitize=undefined", "-fno-sanitize-recover",
                    "-shared", "-fPIC", "-include", "access.h", "-o", "driver.so", "montgomery.c",
                    "all.c"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "driver.so"))


def number(value, length=None, order="big"):
    """Return a number as an input; ``None`` is no number."""
    if value is None:
        return _In(None, 0)
    octets = value if isinstance(value, bytes) else value.to_bytes(
        length or (value.bit_length() + 7) // 8 or 1, order)
    return _In(octets, len(octets))


class Registers:
    """The register map of a core, behind which ``answer`` gives words for the words of operands.

    It raises :exc:`ValueError` to refuse them. :attr:`sent` has the messages that came. After a
    command there are ``delay`` reads of STATUS until it has ended.
    """

    def __init__(self, params, answer, delay=2):
        self.map, self.answer, self.delay = RegisterMap(params), answer, delay
        self.memory = {register.offset: register.value for register in self.map.registers}
        self.messages = {1: params.operands, 2: params.key_operands, 0: results_of(params)}
        self.windows = {window.name: window for window in self.map.windows}
        self.sent, self.written, self.left, self.forced = [], {}, 0, 0
        self.controls = []

    def read(self, address):
        if address == STATUS:
            self.left -= self.left > 0
            status = self.memory[STATUS] | self.forced
            return status & ~(DONE | REFUSED) | BUSY if self.left else status
        if any(window.offset <= address < window.offset + 4 * window.slots
               for window in self.map.windows if window.access == "w"):
            return 0
        return self.memory.get(address, 0)

    def write(self, address, value):
        if address == CONTROL:
            self.controls.append(value)
            self._command(value)
        elif address == STATUS:
            self.memory[STATUS] &= ~(value & 0x706)
        else:
            assert any(window.offset <= address < window.offset + 4 * window.slots
                       for window in self.map.windows if window.access == "w")
            self.written[address] = value

    def _command(self, value):
        if value & 4:
            self.memory[STATUS], self.left = DONE, 0
            return
        if value >> 16 not in self.windows["KEY" if value & 2 else "OPERANDS"].counts:
            self.memory[STATUS] |= ERROR_WORDS
            return
        words, self.memory[STATUS] = self._words(value), self.memory[STATUS] & HAS_KEY | DONE
        self.sent.append(words)
        self.left = self.delay
        if value & 2:
            self.memory[STATUS] |= HAS_KEY
            return
        window, width = self.windows["RESULT"], self.messages[0].width
        try:
            result = self.answer(words)
        except ValueError:
            result = [(1 << width) - 1] * window.words
            self.memory[STATUS] |= REFUSED
        for index, word in enumerate(result):
            for part in range(window.slots_per_word):
                self.memory[window.offset + 4 * (index * window.slots_per_word + part)] = (
                    word >> 32 * part & 0xFFFFFFFF)

    def _words(self, value):
        window = self.windows["KEY" if value & 2 else "OPERANDS"]
        size = ceil_div(window.width, 32)
        slots = [self.written.get(window.offset + 4 * index, 0)
                 for index in range((value >> 16) * size)]
        return [sum(part << 32 * place for place, part in enumerate(slots[at:at + size]))
                for at in range(0, len(slots), size)]


class Device:
    """A program that has opened a core: functions of the driver by their names without ``mont_``.

    They return the name of the error, or the octets that were written if there is none.
    """

    def __init__(self, library, index, registers):
        self.library, self.registers = library, registers
        # What C calls must not be collected meanwhile.
        self.kept = [_READ(registers.read), _WRITE(registers.write)]
        ctypes.c_void_p.in_dll(library, "on_read").value = ctypes.cast(
            self.kept[0], ctypes.c_void_p).value
        ctypes.c_void_p.in_dll(library, "on_write").value = ctypes.cast(
            self.kept[1], ctypes.c_void_p).value
        self.core = (ctypes.c_void_p * (index + 1)).in_dll(library, "all")[index]
        pointer, words = ((kind * (index + 1)).in_dll(library, name)[index] for kind, name in (
            (ctypes.c_void_p, "memory"), (ctypes.c_size_t, "memory_words")))
        self.memory = (ctypes.c_uint32 * words).from_address(pointer)
        self.mont = _Mont()
        self.here = ctypes.byref(self.mont)
        self.opened = ERRORS[library.mont_open(
            self.here, ctypes.c_void_p(self.core), ctypes.c_size_t(0))]

    def call(self, name, *arguments):
        return ERRORS[getattr(self.library, f"mont_{name}")(self.here, *arguments)]

    def load(self, *inputs):
        return self.call("load", (_In * len(inputs))(*inputs))

    def do(self, name, *inputs, length):
        """Call a function with inputs and a result of some octets."""
        octets = ctypes.create_string_buffer(b"\xa5" * length, length)
        error = self.call(name, *inputs, _Out(ctypes.addressof(octets), length))
        written = self._checked(error, octets.raw)
        return written if error != "OK" else written[0]

    def run(self, *inputs, lengths):
        octets = [ctypes.create_string_buffer(b"\xa5" * length, length) for length in lengths]
        outs = (_Out * len(octets))(*(_Out(ctypes.addressof(each), len(each)) for each in octets))
        error = self.call("run", (_In * len(inputs))(*inputs), outs)
        return self._checked(error, *(each.raw for each in octets))

    @staticmethod
    def _checked(error, *octets):
        if error == "OK":
            return list(octets)
        # Nothing is written of a result that there is not.
        assert all(set(each) <= {0xA5} for each in octets)
        return error

    def randomly(self, octets):
        """Have ``octets``, which is called with a count, give the driver random numbers."""
        self.mont.random = _Mont.RANDOM(lambda to, count: ctypes.memmove(to, octets(count), count))

    def waiting(self, wait):
        """Have ``wait``, which returns an error's name, be what waits for an interrupt."""
        self.mont.wait = _Mont.WAIT(lambda _: ERRORS.index(wait()))

    def words(self, name, words, results=0):
        """Send words of the bus as a key or as operands, and return those of the result."""
        taken, given = (ctypes.c_uint32 * len(words))(*words), (ctypes.c_uint32 * results)()
        error = self.call(name, taken, ctypes.c_size_t(len(words)),
                          *[given, ctypes.c_size_t(results)] * (name == "run_words"))
        return list(given) if error == "OK" and results else error
