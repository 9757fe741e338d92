"""What boards do with keys in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...atomic import atomic_write, check_file
from ...data.labels import time_text
from ...errors import Refusal
from .._answer import Answer

if TYPE_CHECKING:
    from boards.host import Client

__all__ = ["output_file", "time_of", "use_key", "verified"]


def output_file(output: Path | None, letter: Path | None, peer: Path | None, key_path: Path,
                password_file: Path | None) -> Path:
    """Return the file for what is made, once it is known that it can be written."""
    beside, suffix = next((path, suffix) for path, suffix in (
        (letter, "sig"), (peer, "secret"), (key_path, "pub")) if path)
    path = output or beside.with_name(f"{beside.name}.{suffix}")
    for option, other in (("--sign", letter), ("--derive", peer), ("--key", key_path),
                          ("--password-file", password_file)):
        if other and path.exists() and path.samefile(other):
            raise click.UsageError(f"The output would overwrite {path}, the file of {option}; name "
                                   "another file with --output")
    check_file(path)
    return path


def use_key(board: Client, letter: Path | None, peer: Path | None, key_path: Path,
            password_file: Path | None, output: Path) -> Answer:
    """Sign, derive or compute what is asked for, and write it to the file."""
    from boards.keys import load_password

    password = load_password(password_file) if password_file else None
    if letter is not None:
        return _sign(board, letter, key_path, password, output)
    if peer is not None:
        return _derive(board, peer, key_path, password, output)
    return _public_key(board, key_path, password, output)


def _sign(board: Client, letter: Path, key_path: Path, password: bytes | None,
          output: Path) -> Answer:
    from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

    from boards import ecdsa, eddsa
    from boards.keys import SIGNING, load_key
    from boards.rsa import sign

    key, message = load_key(key_path, SIGNING, password), letter.read_bytes()
    if isinstance(key, rsa.RSAPrivateKey):
        made = sign(board, key, message)
    elif isinstance(key, ed25519.Ed25519PrivateKey):
        made = eddsa.sign(board, key, message)
    else:
        made = ecdsa.sign(board, key, message)
    with atomic_write(output) as partial:
        partial.write_bytes(made.signature)
    times = "" if made.operations == 1 else ", two exponentiations of half the length"
    return Answer({"signature": str(output), "clocks": made.clocks, "operations": made.operations,
                   "clock_hz": board.info.clock_hz},
                  [f"{output}: signature, verified",
                   f"  {time_of(board, made.clocks)}{times}"])


def verified(board: Client, letter: Path, signature: Path | None, key_path: Path) -> Answer:
    """Verify a signature; its file is that which is beside the other one, if None."""
    from boards.ecdsa import verify
    from boards.keys import VERIFYING, load_key

    signature = signature or letter.with_name(f"{letter.name}.sig")
    if not signature.is_file():
        raise Refusal(f"The signature must be in {signature}, but the file is not there; name it "
                      "with --signature")
    key = load_key(key_path, VERIFYING)
    try:
        found = verify(board, key, letter.read_bytes(), signature.read_bytes())
    except ValueError as error:
        raise Refusal(f"{signature}: {error}") from None
    said = "the signature of" if found.valid else "no signature of"
    return Answer({"valid": found.valid, "clocks": found.clocks,
                   "clock_hz": board.info.clock_hz},
                  [f"{signature}: {said} {letter} by the key in {key_path}",
                   f"  {time_of(board, found.clocks)}"], int(not found.valid))


def _derive(board: Client, peer: Path, key_path: Path, password: bytes | None,
            output: Path) -> Answer:
    from boards.ecdh import exchange
    from boards.keys import AGREEING, PEER, load_key

    made = exchange(board, load_key(key_path, AGREEING, password), load_key(peer, PEER))
    with atomic_write(output, private=True) as partial:
        partial.write_bytes(made.secret)
    return Answer({"secret": str(output), "clocks": made.clocks, "clock_hz": board.info.clock_hz},
                  [f"{output}: {len(made.secret)} bytes, to be read by you alone",
                   f"  {time_of(board, made.clocks)}"])


def _public_key(board: Client, key_path: Path, password: bytes | None, output: Path) -> Answer:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from boards import ecdh, eddsa
    from boards.keys import OF_POINTS, load_key

    key = load_key(key_path, OF_POINTS, password)
    made = (eddsa.public_key(board, key) if isinstance(key, Ed25519PrivateKey) else
            ecdh.public_key(board, key))
    text = made.key.public_bytes(serialization.Encoding.PEM,
                                 serialization.PublicFormat.SubjectPublicKeyInfo)
    with atomic_write(output) as partial:
        partial.write_bytes(text)
    return Answer({"public_key": str(output), "clocks": made.clocks,
                   "clock_hz": board.info.clock_hz},
                  [f"{output}: public key", f"  {time_of(board, made.clocks)}"])


def time_of(board: Client, clocks: int) -> str:
    """Return clocks, and how long they are on a board; simulated clocks have no length."""
    info = board.info
    mhz = info.clock_hz / 1e6
    return f"{clocks:,} clocks" + ("" if info.simulated else
                                   f", {time_text(clocks / mhz)} at {mhz:g} MHz")
