"""Measures RSA signatures of OpenSSL on this computer, by ``openssl speed``."""

from __future__ import annotations

import contextlib
import dataclasses
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["HostSpeed", "host_speed", "processor_name"]

#: What ``openssl speed -mr`` calls a measurement of private RSA operations: the line has their
#: number, the bits of the key and the seconds.
_PRIVATE = "+R1"
#: Where Linux describes the processors.
_CPUINFO = Path("/proc/cpuinfo")
#: Seconds that all measurements together may take beyond their own, on a busy computer.
_PATIENCE_S = 60


@dataclasses.dataclass(frozen=True, kw_only=True)
class HostSpeed:
    """RSA signatures by one thread of this computer.

    Attributes
    ----------
    processor : str
        Name of the processor.
    program : str
        Name and version of the program.
    signatures_per_s : dict from int to float
        Signatures in a second of processor time, by the bits of the key. Empty if there are none.
    missing : str
        Why there are none; empty if there are some.
    """

    processor: str
    program: str = ""
    signatures_per_s: Mapping[int, float] = dataclasses.field(default_factory=dict)
    missing: str = ""


def host_speed(lengths: Sequence[int], *, seconds: int = 1) -> HostSpeed:
    """Return how many RSA signatures OpenSSL makes in a second, for each length of a key in bits.

    This takes twice ``seconds`` for each length, since ``openssl speed`` measures verification
    too. Lengths that OpenSSL does not measure are left out. A program that is missing, too old
    or of another project is no error: ``missing`` says so.
    """
    processor = processor_name()
    path = shutil.which("openssl")
    if path is None:
        return HostSpeed(processor=processor, missing="there is no program openssl")
    try:
        version = _output([path, "version"], _PATIENCE_S)
        said = _output([path, "speed", "-seconds", str(seconds), "-mr",
                        *(f"rsa{bits}" for bits in lengths)],
                       _PATIENCE_S + 2 * seconds * len(lengths))
    except subprocess.TimeoutExpired:
        return HostSpeed(processor=processor, missing="openssl speed did not end in time")
    except (OSError, subprocess.CalledProcessError):
        return HostSpeed(processor=processor, missing="openssl speed -seconds -mr failed")
    rates = {bits: rate for bits, rate in _rates(said).items() if bits in lengths}
    if not rates:
        return HostSpeed(processor=processor, missing="openssl speed named no RSA signatures")
    return HostSpeed(processor=processor, program=" ".join(version.split()[:2]),
                     signatures_per_s=rates)


def _output(command: Sequence[str], timeout_s: float) -> str:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True,
                          timeout=timeout_s)
    # OpenSSL 1 writes some of these lines to stderr.
    return "\n".join(text.decode(errors="replace") for text in (done.stdout, done.stderr))


def _rates(said: str) -> dict[int, float]:
    found = {}
    for line in said.splitlines():
        name, *fields = line.strip().split(":")
        if name == _PRIVATE and len(fields) == 3:
            try:
                count, bits, seconds = int(fields[0]), int(fields[1]), float(fields[2])
            except ValueError:
                continue
            if seconds > 0:
                found[bits] = count / seconds
    return found


def processor_name() -> str:
    """Return the name of this computer's processor, or its architecture if the name is unknown."""
    name = ""
    if sys.platform == "darwin":
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            name = _output(["sysctl", "-n", "machdep.cpu.brand_string"], _PATIENCE_S)
    elif _CPUINFO.is_file():
        lines = (line.partition(":") for line in _CPUINFO.read_text(errors="replace").splitlines())
        name = next((value for key, _, value in lines if key.strip() == "model name"), "")
    return " ".join(name.split()) or platform.processor() or platform.machine() or "unknown"
