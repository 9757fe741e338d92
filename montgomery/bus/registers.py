"""The register map of a core on a bus, made from the messages of the core.

All registers have 32 bits. A message is written to a window, or read from one, and a word of it
takes as many registers as its bits need, the lowest bits first. The map is the same for all cores
but for the sizes and places of the windows, so that one driver serves all of them.
"""

import dataclasses
import enum
import functools
import operator
import zlib
from collections.abc import Sequence

from ..core import LEAST_WIDTH, CoreParameters, ceil_div, kind_of, name_of, results_of, traits

__all__ = ["BITS", "CONTROL", "CYCLES", "ERRORS", "ID", "KINDS", "RESULT", "STATUS", "TEXT",
           "VERSION", "Bits", "Command", "Register", "RegisterMap", "Status", "Window"]

#: Bits of a register.
BITS = 32
#: What register ID holds: "MONT".
ID = 0x4D4F4E54
#: Version of the map: major, minor and patch, a byte each.
VERSION = 0x010000
#: Numbers of the kinds of cores. A number stays when other kinds come.
KINDS = {"multiplier": 0, "exponentiator": 1, "rsa_crt": 2, "inversion": 3, "hash": 4,
         "scalar_multiplication": 5, "base_multiplication": 6, "key_agreement": 7,
         "ecdsa_verification": 8, "eddsa_verification": 9, "design": 15}
#: Registers, by their numbers, that hardware writes, or that others look for.
CYCLES, CONTROL, STATUS, CORE, TEXT = 7, 8, 9, 10, 11
#: Number of the first register of the window for results.
RESULT = 16
#: The message in each window.
_MESSAGES = {"RESULT": results_of, "OPERANDS": operator.attrgetter("operands"),
             "KEY": operator.attrgetter("key_operands")}


class Command(enum.IntFlag):
    """Commands in the register CONTROL."""

    START = 1 << 0
    LOAD = 1 << 1
    CLEAR = 1 << 2
    INTERRUPT = 1 << 3


class Status(enum.IntFlag):
    """Bits of the register STATUS."""

    BUSY = 1 << 0
    DONE = 1 << 1
    REFUSED = 1 << 2
    HAS_KEY = 1 << 3
    ERROR_BUSY = 1 << 8
    ERROR_KEY = 1 << 9
    ERROR_WORDS = 1 << 10


#: Bits of STATUS that are set where a command or a write was dropped.
ERRORS = Status.ERROR_BUSY | Status.ERROR_KEY | Status.ERROR_WORDS


@dataclasses.dataclass(frozen=True)
class Bits:
    """A field of a register."""

    name: str
    low: int  # the lowest bit
    high: int
    meaning: str


def _bit(flag: enum.IntFlag, meaning: str) -> Bits:
    """Return the field of a flag."""
    place = flag.bit_length() - 1
    return Bits(str(flag.name), place, place, meaning)


@dataclasses.dataclass(frozen=True)
class Register:
    """A register."""

    name: str
    offset: int  # in bytes
    access: str  # r; rw; or rw1c, whose bits are cleared by writing 1
    meaning: str
    fields: tuple[Bits, ...]
    value: int = 0  # after a reset, and always of constant registers


@dataclasses.dataclass(frozen=True)
class Window:
    """Registers for one message."""

    name: str
    offset: int  # in bytes
    slots: int  # registers
    words: int  # of the longest message
    width: int  # bits of a word
    access: str  # r or w
    meaning: str
    counts: Sequence[int]  # numbers of words that a message may have, the longest one's last

    @property
    def slots_per_word(self) -> int:
        """Registers that a word of the message takes."""
        return ceil_div(self.width, BITS)


@dataclasses.dataclass(frozen=True)
class RegisterMap:
    """The register map of a core.

    Parameters
    ----------
    params : :class:`montgomery.CoreParameters`
    clear : :class:`bool`
        The core forgets all that it was sent when it is cleared; else it is only reset.
    own_clock : :class:`bool`
        The clock of the core is another one than that of the bus.
    text : :class:`bytes`
        What the system says of itself, in registers after the result. Without it there is no
        register ``TEXT``.
    """

    params: CoreParameters
    clear: bool = False
    own_clock: bool = False
    text: bytes = b""

    @functools.cached_property
    def windows(self) -> tuple[Window, ...]:
        """The windows: ``RESULT``, ``OPERANDS``, and ``KEY`` if the core has keys."""
        p, cores = self.params, [self.params]
        if traits(p).takes_shorter:  # one for each number of words
            cores += [p.shorter(bits)
                      for bits in (*range(p.width, LEAST_WIDTH, -p.word_width), LEAST_WIDTH)]

        def window(name, offset, access, meaning):
            message = _MESSAGES[name](p)
            slots = message.words * ceil_div(message.width, BITS)
            counts = {_MESSAGES[name](core).words for core in cores}
            if name == "OPERANDS" and traits(p).keeps_results:
                counts.add(1)  # that both factors are kept
            return Window(
                name, offset, slots, message.words, message.width, access, meaning,
                range(1, message.words + 1) if message.varies else sorted(counts))

        result = window("RESULT", RESULT * 4, "r",
                        "words of the result, once STATUS.DONE is 1, until the next START")
        operands = window("OPERANDS", 0, "w", "words of the operands")
        found = [operands]
        if p.k_words:
            found.append(window("KEY", operands.slots * 4, "w", "words of the key"))
        written = sum(each.slots for each in found) * 4
        read = result.offset + result.slots * 4 + len(self.text)
        base = 1 << (max(read, written) - 1).bit_length()
        return result, *(dataclasses.replace(each, offset=base + each.offset) for each in found)

    def window(self, name: str) -> Window | None:
        """Return a window by its name, and ``None`` if there is none."""
        return next((each for each in self.windows if each.name == name), None)

    @property
    def written_from(self) -> int:
        """Offset of the first window that is written, half of :attr:`size`."""
        return self.windows[1].offset

    @property
    def size(self) -> int:
        """Bytes of the address space, a power of two."""
        return 2 * self.written_from

    @property
    def address_bits(self) -> int:
        """Bits of the address of a byte."""
        return (self.size - 1).bit_length()

    @functools.cached_property
    def registers(self) -> tuple[Register, ...]:
        """The registers before the windows, in the order of their offsets."""
        p = self.params
        key = self.window("KEY")

        def length(name, window, noun):
            words, width = (window.words, window.width) if window else (0, 0)
            return name, f"words of the longest {noun}, and their bits", (
                Bits("WIDTH", 0, 15, "bits of a word"), Bits("WORDS", 16, 31, "words"),
                ), words << 16 | width

        capabilities = (
            Bits("KIND", 0, 7, ", ".join(f"{number}: {name}" for name, number in KINDS.items())),
            Bits("HAS_KEY_PORT", 8, 8, "operations need a key"),
            Bits("WIPES", 9, 9, "CLEAR wipes all that the core was sent; else CLEAR resets the "
                 "core"),
            Bits("CHECKS", 10, 10, "the core refuses operands, or results that it finds wrong: "
                 "STATUS.REFUSED"),
            Bits("OWN_CLOCK", 11, 11, "CYCLES counts another clock than that of the bus"))
        constant = [
            ("ID", "0x4D4F4E54, which is \"MONT\"", (Bits("ID", 0, 31, "0x4D4F4E54"),), ID),
            ("VERSION", "version of this map", (
                Bits("PATCH", 0, 7, "grows with each correction"),
                Bits("MINOR", 8, 15, "grows when something is added"),
                Bits("MAJOR", 16, 23, "grows when old drivers no longer work")), VERSION),
            ("CAPABILITIES", "what the core is", capabilities,
             KINDS[kind_of(p).name] | bool(p.k_words) << 8 | self.clear << 9
             | traits(p).checks << 10 | self.own_clock << 11),
            ("WIDTH", "bits of the numbers of the core", (Bits("BITS", 0, 31, "bits"),), p.width),
            length("OPERANDS_LENGTH", self.window("OPERANDS"), "message of operands"),
            length("KEY_LENGTH", key, "key"),
            length("RESULT_LENGTH", self.window("RESULT"), "result")]
        found = [Register(name, 4 * number, "r", meaning, fields, value)
                 for number, (name, meaning, fields, value) in enumerate(constant)]
        return (
            *found,
            Register("CYCLES", 4 * CYCLES, "r", "clocks of the last operation, from the last word "
                     "of the operands accepted to the first word of the result ready",
                     (Bits("CLOCKS", 0, 31, "clocks of the core"),)),
            Register("CONTROL", 4 * CONTROL, "rw", "commands; they read as 0", (
                _bit(Command.START, "send the operands, and wait for the result"),
                _bit(Command.LOAD, "send the key"),
                _bit(Command.CLEAR, "stop, and have the core forget its key; allowed at any time"),
                _bit(Command.INTERRUPT, "have the line irq follow DONE and the errors"),
                Bits("WORDS", 16, 31, "words of the message to send"))),
            Register("STATUS", 4 * STATUS, "rw1c", "what became of the last command; writing 1 to "
                     "a bit clears it, but for BUSY and HAS_KEY", (
                _bit(Status.BUSY, "a command is being done"),
                _bit(Status.DONE, "START, LOAD or CLEAR has ended"),
                _bit(Status.REFUSED, "the core gave no result: operands were refused, or its own "
                     "check found the result wrong"),
                _bit(Status.HAS_KEY, "the core has a key"),
                _bit(Status.ERROR_BUSY, "START, LOAD or a write to a window came while BUSY, and "
                     "was dropped"),
                _bit(Status.ERROR_KEY, "START came before a key, and was dropped"),
                _bit(Status.ERROR_WORDS, "WORDS was not the length of a message, or there is no "
                     "key to send; the command was dropped"))),
            Register("CORE", 4 * CORE, "r", "which core it is: CRC-32 of the name and the "
                     "parameters", (Bits("CRC", 0, 31, "another one for another curve or modulus"),
                                    ), self._crc),
            *self._text_register())

    def _text_register(self):
        if not self.text:
            return
        first = RESULT + self.window("RESULT").slots
        yield Register("TEXT", 4 * TEXT, "r", "where the system says what it is", (
            Bits("BYTES", 0, 15, "length of the text"),
            Bits("FIRST", 16, 31, "number of the register where the text begins")),
            first << 16 | len(self.text))

    @property
    def _crc(self) -> int:
        p = self.params
        values = [(field.name, getattr(p, field.name)) for field in dataclasses.fields(p)]
        return zlib.crc32(f"{kind_of(p).full_name(name_of(p))} {values}".encode())

    @property
    def constants(self) -> list[int]:
        """What registers hold at first, by their numbers."""
        values = [register.value for register in self.registers]
        if self.text:
            values += [0] * (RESULT + self.window("RESULT").slots - len(values))
            values += [int.from_bytes(self.text[at:at + 4], "little")
                       for at in range(0, len(self.text), 4)]
        return values
