"""What boards do with keys in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...atomic import atomic_write, check_file
from ...data.labels import time_text
from ...errors import Refusal
from .._command import Answer

if TYPE_CHECKING:
    from boards.host import Client

__all__ = ["output_file", "time_of", "use_key", "verified"]


def output_file(output: Path | None, letter: Path | None, peer: Path | None, key_path: Path,
                password_file: Path | None) -> Path:
    """Return the file for what is made, once it is known that it can be written."""
    beside, suffix = next((path, suffix) for path, suffix in (
        (letter, "sig"), (peer, "secret"), (key_path, "pub")) if path)
    path = output or beside.with_name(f"{beside.name}.{suffix}")
    for other in (letter, peer, key_path, password_file):
        if other and path.exists() and path.samefile(other):
            raise click.UsageError(f"The output would overwrite {path}, which is read; name "
                                   "another file with --output")
    check_file(path)
    return path


def use_key(board: Client, letter: Path | None, peer: Path | None, key_path: Path,
            password_file: Path | None, output: Path) -> Answer:
    """Sign, derive or compute what is asked for, and write it to the file."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    from boards import ecdh, ecdsa, eddsa, rsa
    from boards.keys import AGREEING, OF_POINTS, PEER, SIGNING, load_key, load_password

    password = load_password(password_file) if password_file else None
    made: Any
    more, times = {}, ""
    if letter is not None:
        key, message = load_key(key_path, SIGNING, password), letter.read_bytes()
        signer: Any = (rsa if isinstance(key, RSAPrivateKey) else
                       eddsa if isinstance(key, Ed25519PrivateKey) else ecdsa)
        made = signer.sign(board, key, message)
        what, content, said = "signature", made.signature, "signature, verified"
        more = {"operations": made.operations}
        if made.operations > 1:
            times = ", two exponentiations of half the length"
    elif peer is not None:
        made = ecdh.exchange(board, load_key(key_path, AGREEING, password), load_key(peer, PEER))
        what, content = "secret", made.secret
        said = f"{len(content)} bytes, to be read by you alone"
    else:
        key = load_key(key_path, OF_POINTS, password)
        made = (eddsa.public_key(board, key) if isinstance(key, Ed25519PrivateKey) else
                ecdh.public_key(board, key))
        what, said = "public_key", "public key"
        content = made.key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with atomic_write(output, private=what == "secret") as partial:
        partial.write_bytes(content)
    return Answer({what: str(output), "clocks": made.clocks, **more,
                   "clock_hz": board.info.clock_hz},
                  [f"{output}: {said}", f"  {time_of(board, made.clocks)}{times}"])


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


def time_of(board: Client, clocks: int) -> str:
    """Return clocks, and how long they are on a board; simulated clocks have no length."""
    info = board.info
    mhz = info.clock_hz / 1e6
    return f"{clocks:,} clocks" + ("" if info.simulated else
                                   f", {time_text(clocks / mhz)} at {mhz:g} MHz")
