"""Operations on simulated boards, and the part that the serial line takes of each of them, beside
the table of docs/boards.md.

``pytest --thorough --renew tests/boards/test_line.py`` writes the table as it is today.
"""

import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, x25519
from wire import BAUD

from boards.host import Client
from boards.keys import on_board
from montgomery import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "boards.md"
CLOCK_HZ, BITS = 100_000_000, 10
#: Numbers are random, and some bytes take two on the line.
TOLERANCE = 0.03
SHA256, ECDSA = hashes.SHA256(), ec.ECDSA(hashes.SHA256())


def _verification(key):
    return key.public_key(), lambda made: made.verify(key.sign(b"letter", ECDSA), b"letter", ECDSA)


def _secret(key, *how):
    def check(made):
        assert made.exchange(*how, key.public_key()) == key.exchange(*how, key.public_key())

    return key, check


#: By rows of the table: the core, its width and parameters, a key, and what is done twice. A
#: signature that is wrong is not released.
OPERATIONS = {
    "RSA signature": ("rsa_crt", "dsp_systolic", {"width": 2048}, lambda: (
        rsa.generate_private_key(65537, 2048),
        lambda made: made.sign(b"letter", padding.PKCS1v15(), SHA256))),
    "P-256 secret": ("scalar_multiplication", "wide", {"width": 256}, lambda: _secret(
        ec.generate_private_key(ec.SECP256R1()), ec.ECDH())),
    "P-256 verification": ("ecdsa_verification", "wide", {"width": 256}, lambda: _verification(
        ec.generate_private_key(ec.SECP256R1()))),
    "X25519 secret": ("key_agreement", "wide", {"width": 255}, lambda: _secret(
        x25519.X25519PrivateKey.generate())),
    "Ed25519 signature": ("base_multiplication", "wide", {"width": 256, "curve": "Ed25519"},
                          lambda: (ed25519.Ed25519PrivateKey.generate(),
                                   lambda made: made.sign(b"letter")))}


def _row(name, core, to_board, from_board, clocks):
    line_ms, core_ms = 1e3 * BITS * (to_board + from_board) / BAUD, 1e3 * clocks / CLOCK_HZ
    return (f"| {name} | `{core}` | {to_board:,} | {from_board:,} | {line_ms:.1f} ms | "
            f"{clocks:,} | {core_ms:.2f} ms | {line_ms / (line_ms + core_ms):.0%} |")


@pytest.mark.thorough
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_share_of_the_line(operation, wired, monkeypatch, request):
    """Of an operation by a key that the board has already."""
    kind, name, params, make = OPERATIONS[operation]
    wire = wired(KINDS[kind].cores()[name](**params))
    to_board, from_board = [], []
    write, read = wire.write, wire.read
    monkeypatch.setattr(wire, "write", lambda data: (to_board.append(len(data)), write(data)))
    monkeypatch.setattr(wire, "read", lambda size: (
        from_board.append(len(data := read(size))), data)[1])
    key, operate = make()
    with Client(wire, baud=BAUD) as board:
        made = on_board(board, key)
        operate(made)
        first, before = made.clocks, (sum(to_board), sum(from_board))
        operate(made)
        found = (sum(to_board) - before[0], sum(from_board) - before[1], made.clocks - first)
    row = _row(operation, KINDS[kind].full_name(name), *found)
    print(row)
    lines = PAGE.read_text().splitlines()
    index, = [index for index, line in enumerate(lines) if line.startswith(f"| {operation} ")]
    if request.config.getoption("--renew"):
        lines[index] = row
        PAGE.write_text("\n".join(lines) + "\n")
    cells = lines[index].split("|")
    said = [int(re.sub(r"\D", "", cells[place])) for place in (3, 4, 6)]
    assert lines[index] == _row(operation, KINDS[kind].full_name(name), *said)
    assert found == pytest.approx(said, rel=TOLERANCE, abs=3)
    assert found[2] == said[2]
