"""``montgomery board run``: use the core on a board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...data.labels import core_name
from .._activity import ended_by_signals, meter
from .._answer import Answer, answering
from .._command import grouped
from .._operands import OperandCommand, flag
from .._options import given as is_given
from .._options import store_option
from .._types import Existing, Integer, OutputFile
from ._keys import output_file, time_of, use_key, verified

if TYPE_CHECKING:
    from boards.host import Client

__all__ = ["command"]


@click.command(cls=OperandCommand, operands_before="letter",
               short_help="Use the core on a board: multiply, exponentiate, sign, verify, agree, "
                           "test.")
@click.option("--port", required=True, metavar="PORT", envvar="MONTGOMERY_PORT",
              help="Serial port of the board, such as /dev/ttyUSB0, or the pseudo-terminal of a "
                   "simulated one; also MONTGOMERY_PORT.")
@click.option("--baud", default=115_200, show_default=True, type=Integer(300), metavar="N",
              help="Bits per second of the serial port, as the bitstream was built for.")
@grouped("Self-test",
         (["--self-test", "self_test_"], {
             "metavar": "N", "type": Integer(1, 1_000_000),
             "help": "Compare the results and clock counts of N operations with the model."}),
         (["--seed"], {"default": 0, "show_default": True, "type": Integer(0), "metavar": "N",
                       "help": "Seed of the random operations."}))
@grouped("Signature: by RSA (PKCS #1 v1.5) or ECDSA with SHA-256, or by Ed25519, as the key says",
         (["--sign", "letter"], {"metavar": "FILE", "type": Existing(dir_okay=False),
                                 "help": "Sign this file with --key."}))
@grouped("ECDSA verification with SHA-256, by cores for it",
         (["--verify", "letter_signed"], {
             "metavar": "FILE", "type": Existing(dir_okay=False),
             "help": "Verify the signature of this file, by the public key in the file of --key."}),
         (["--signature"], {"metavar": "FILE", "type": Existing(dir_okay=False),
                            "help": "The file of the signature, in DER form, as --sign and openssl "
                                    "write it.  [default: FILE.sig]"}))
@grouped("ECDH, X25519 and X448, by cores for scalar multiplication and for key agreement",
         (["--derive", "peer"], {"metavar": "PUBLIC", "type": Existing(dir_okay=False),
                                 "help": "Derive the secret that --key shares with the first "
                                         "public key in this file: PEM, DER or OpenSSH."}),
         (["--public-key"], {"is_flag": True, "help": "Compute the public key of --key; by cores "
                                                       "for the base point, too."}))
@grouped("Private key, of RSA, a curve, X25519, X448 or Ed25519; for --verify the public key",
         (["--key", "key_path"], {"metavar": "KEY", "type": Existing(dir_okay=False),
                                  "help": "Use the first key in this file: PEM, DER or "
                                          "OpenSSH."}),
         (["--password-file"], {
             "metavar": "FILE", "type": Existing(dir_okay=False),
             "help": "Take the password of the key from the first line of this file."}),
         (["--output"], {"metavar": "FILE", "type": OutputFile(),
                         "help": "Write the signature, the secret or the public key to this file.  "
                                 "[default: FILE.sig, PUBLIC.secret or KEY.pub, beside the file "
                                 "of that name]"}))
@store_option
@answering
def command(port: str, baud: int, self_test_: int | None, seed: int, letter: Path | None,
            letter_signed: Path | None, signature: Path | None, peer: Path | None,
            public_key: bool, key_path: Path | None, password_file: Path | None,
            output: Path | None, store_path: Path | None, **operands: int | None) -> Answer:
    """Use the core on a board, or on the simulated board of 'montgomery board simulate'.

    The command runs a self-test, signs a file or verifies its signature, derives a shared secret,
    or computes one operation whose numbers are given, in decimal or in hexadecimal after 0x.
    Without any of these it names the core on the board. A self-test that a board passes becomes a
    row of the store, with the status on_board. The exit status is 1 if a signature is not valid.

    \b
    montgomery board run --port /dev/ttyUSB0 --self-test 100
    montgomery board run --port /dev/ttyUSB0 --base 2 --exponent 10 --modulus 1001
    montgomery board run --port /dev/ttyUSB0 --sign letter.txt --key key.pem
    montgomery board run --port /dev/ttyUSB0 --derive peer.pem --key key.pem
    montgomery board run --port /dev/ttyUSB0 --verify letter.txt --key public.pem
    """
    from boards.host import Client

    given = {name: value for name, value in operands.items() if value is not None}
    uses_key = [letter is not None, letter_signed is not None, peer is not None, public_key]
    if bool(given) + (self_test_ is not None) + sum(uses_key) > 1:
        raise click.UsageError("--self-test, --sign, --verify, --derive, --public-key and the "
                               "numbers of one operation exclude each other; give one of them")
    if any(uses_key) != (key_path is not None):
        raise click.UsageError("--sign, --verify, --derive and --public-key need --key, the file "
                               "of the key, and --key needs one of them")
    if (key_path is None or letter_signed) and (output or password_file):
        raise click.UsageError("--output and --password-file are for --sign, --derive and "
                               "--public-key; leave them out")
    if signature and not letter_signed:
        raise click.UsageError("--signature is for --verify; leave it out")
    if self_test_ is None and is_given("seed"):
        raise click.UsageError("--seed is for --self-test; leave it out")
    if key_path is not None and letter_signed is None:
        output = output_file(output, letter, peer, key_path, password_file)
    with ended_by_signals(), Client(port, baud=baud) as board:
        if self_test_ is not None:
            return _self_test(board, self_test_, seed, store_path)
        if key_path is not None and letter_signed is not None:
            return verified(board, letter_signed, signature, key_path)
        if key_path is not None and output is not None:
            return use_key(board, letter, peer, key_path, password_file, output)
        if given:
            return _operate(board, given)
        return _show(board)


def _show(board: Client) -> Answer:
    from boards.uart import LEAST_DIVISOR
    from montgomery.core import kind_of, name_of

    info = board.info
    core = info.parameters
    where = "Simulated board" if info.simulated else info.board or "Board"
    clock = f" at {info.clock_hz / 1e6:g} MHz"
    if info.simulated:
        clock += f", a number that stands for {LEAST_DIVISOR} clocks a bit of its line, and no time"
    return Answer(
        {"arch": name_of(core), "kind": kind_of(core).name, "width": core.width,
         "board": info.board,
         "simulated": info.simulated, "clock_hz": info.clock_hz},
        [f"{where}: {kind_of(core).noun} {name_of(core)} with {core.width} bits{clock}"])


def _operate(board: Client, given: dict[str, int]) -> Answer:
    from boards.port import BoardError
    from montgomery.core import check_operands, input_names, kind_of

    from ...simulation.kinds import adapter

    core = board.info.parameters
    if set(given) != set(input_names(core)):
        *others, last = map(flag, input_names(core))
        noun = kind_of(core).noun
        raise click.UsageError(f"The {noun} on the board takes all of {', '.join(others)} and "
                               f"{last}, and no other number")
    operands = [given[name] for name in input_names(core)]
    try:
        check_operands(core, *operands)
    except ValueError as error:
        rule, _, advice = str(error).partition("; choose ")
        if not advice:
            raise
        # It would be a width for a core that is chosen, and this one is on the board already.
        raise BoardError(f"{rule}; program the board with a wider core") from None
    result = board.operate(*operands)
    return Answer({"value": hex(result.value), "clocks": result.clocks,
                   "clock_hz": board.info.clock_hz},
                  [adapter(core).told(result.value)], notes=[f"  {time_of(board, result.clocks)}"])


def _self_test(board: Client, count: int, seed: int, store_path: Path | None) -> Answer:
    from montgomery.core import name_of

    from ...board.selftest import hardware_row, identity_of, self_test
    from ...store import Store

    core = board.info.parameters
    with meter(f"testing {name_of(core)}") as progress:
        report = self_test(board, count, seed=seed, progress=progress)
    if report["ok"] and not report["simulated"]:
        row = hardware_row(report)
        with Store(store_path) as store:
            store.remember_rows({identity_of(row): row})
    if not report["ok"]:
        return Answer(report, [], 1, [f"montgomery: {report['message']}"])
    return Answer(report, [
        f"{core_name(report)} with {report['width']} bits agrees with its model in "
        f"{report['vectors']} operations",
        f"  slowest: {time_of(board, report['cycles_compute'])}, as the formula says"])
