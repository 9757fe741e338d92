"""The program for Linux has a core do operations, through a file and a terminal in place of UIO."""

import mmap
import os
import pty
import shutil
import struct
import subprocess
import threading
import tty

import pytest
from driver_bench import CONTROL, STATUS, WARNINGS, Registers

from explore.export import driver
from explore.simulation import random_vectors
from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.bus import RegisterMap
from montgomery.core import expected_words, key_of, kind_of, option_names

pytestmark = [pytest.mark.real_cores,
              pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")]


class Kernel:
    """What a program sees as ``/dev/uioN``: registers in a file, and interrupts at a terminal.

    Registers do what they do when the program waits for the interrupt. The first interrupt is an
    old one, after which STATUS tells of no end.
    """

    def __init__(self, path, registers, silent=False):
        self.registers, self.silent, self.enabled = registers, silent, 0
        path.write_bytes(bytes(registers.map.size))
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), registers.map.size)
        for offset, value in registers.memory.items():
            self.put(offset, value)
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.paths = path, os.ttyname(self.slave)
        threading.Thread(target=self.serve, daemon=True).start()

    def get(self, offset):
        return struct.unpack_from("<I", self.memory, offset)[0]

    def put(self, offset, value):
        struct.pack_into("<I", self.memory, offset, value)

    def serve(self):
        command = None
        while os.read(self.master, 4) == struct.pack("=I", 1):
            self.enabled += 1
            if self.silent:
                continue
            if command is None and self.enabled == 1:
                command = self.get(CONTROL)
                self.put(STATUS, 0)
            else:
                self.operate()
            os.write(self.master, struct.pack("=I", self.enabled))

    def operate(self):
        registers = self.registers
        for window in registers.map.windows:
            if window.access == "w":
                for offset in range(window.offset, window.offset + 4 * window.slots, 4):
                    registers.write(offset, self.get(offset))
        registers.write(CONTROL, self.get(CONTROL))
        registers.left = 0
        for offset, value in registers.memory.items():
            self.put(offset, value)


def built(params, folder, *options):
    for name, text in driver.files(params, RegisterMap(params), "core").items():
        (folder / name).write_text(text)
    subprocess.run(["cc", *WARNINGS, *options, "-O1", "-fsanitize=undefined,address",
                    "-fno-sanitize-recover", "-o", "core_uio", "core_uio.c"], cwd=folder,
                   check=True)
    return folder / "core_uio"


def lines(*numbers, order="big"):
    return b"".join(b"\n" if number is None else number.to_bytes(
        number.bit_length() // 8 + 1, order).hex().encode() + b"\n" for number in numbers)


def ran(program, kernel, numbers):
    return subprocess.run([program, *kernel.paths], input=numbers, capture_output=True, timeout=60)


CORES = [("multiplier", "mmm_mx_1d", 64), ("exponentiator", "generic", 64),
         ("ecdsa_verification", "wide", 256), ("key_agreement", "wide", 255),
         ("rsa_crt", "dsp_systolic", 64), ("scalar_multiplication", "wide", 256)]


@pytest.mark.parametrize(("kind", "name", "width"), CORES)
def test_a_program_on_linux_operates(kind, name, width, tmp_path):
    params = KINDS[kind].cores()[name](width=width)
    vector, = random_vectors(params, 1, seed=1)
    key = key_of(params, *vector)
    words = expected_words(params, *vector, result=adapter(params).golden(*vector))
    kernel = Kernel(tmp_path / "uio0", Registers(params, lambda sent: words))
    order = "little" if kind == "key_agreement" else "big"
    options = [None] * len(option_names(params)) if key else []
    done = ran(built(params, tmp_path), kernel,
               lines(*key, *options, *vector[:len(vector) - len(key)], order=order))
    assert (done.returncode, done.stderr) == (0, b"")
    sent = kernel.registers.sent
    assert sent[-1] == params.encode(*vector)
    assert len(sent) == 1 + bool(key)
    results = [int.from_bytes(bytes.fromhex(line), order) for line in done.stdout.decode().split()]
    bits = params.word_width * len(words) // len(results)
    expected = params.decode(words)
    assert results == ([expected % 2**bits, expected >> bits] if len(results) > 1 else [expected])
    assert all(control & 8 for control in kernel.registers.controls)  # with the interrupt
    assert kernel.enabled == len(sent) + 1
    assert kernel.get(CONTROL) == 4  # cleared in the end
    assert kind_of(params).name == kind


def test_what_goes_wrong_is_told(tmp_path):
    params = KINDS["key_agreement"].cores()["wide"](width=255)
    program = built(params, tmp_path, "-DMILLISECONDS=50")

    def refuse(words):
        raise ValueError

    inputs = lines(1, 9, order="little")
    for registers, numbers, silent, said in (
            (Registers(params, refuse), inputs, False, "the core refused"),
            (Registers(params, refuse), inputs, True, "there was no interrupt"),
            (Registers(params, refuse), lines(1), False, "a number is missing or not one that"),
            (Registers(params, refuse), b"xy\n", False, "a number is missing or not one that"),
            (Registers(KINDS["multiplier"].cores()["mmm_mx_1d"](width=64), refuse), inputs, False,
             "it is another core")):
        done = ran(program, Kernel(tmp_path / "uio0", registers, silent), numbers)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode().startswith(f"{tmp_path / 'uio0'}: {said}")
    done = subprocess.run([program, tmp_path / "none"], capture_output=True, text=True)
    assert (done.returncode, "usage: " in done.stderr, "none: " in done.stderr) == (2, True, True)
