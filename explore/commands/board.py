"""Cores on boards: their bitstreams, simulations, and operations on them."""

from __future__ import annotations

import contextlib
import itertools
import json
import signal
import tempfile
from pathlib import Path
from typing import Any

import click
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDH, ECDSA
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from boards import build as programmers
from boards import keys
from boards.catalogue import Adapter
from boards.host import Client
from boards.port import BoardError
from boards.top import BAUD, Top
from boards.uart import LEAST_DIVISOR
from montgomery.core import check_operands, kind_of, name_of

from ..atomic import atomic_write, check_file
from ..board.bitstream import RECORD, board_named, options_of, target_of
from ..board.build import Builder
from ..board.selftest import hardware_row, identity_of, self_test
from ..board.simulated import SimulatedBoard, Terminal, board_library
from ..data.labels import core_name, time_text
from ..errors import Refusal, ToolMissing
from ..export.files import default_name
from ..simulation.kinds import adapter
from ..store import Store
from ..tools.compiler import find_compiler
from ._answer import Answer, print_json
from ._options import needed, one_point, operation, refuse_others
from ._progress import announce, ended_by_signals, meter

__all__ = ["build", "output_file", "program", "run", "simulate", "time_of", "use_key", "verified"]


def build(board_name: str, clock_mhz: float | None, seeds: int, baud: int,
          uart_pins: str | None, output: Path | None, store_path: Path | None, arch: str,
          width: str, params: tuple[str, ...], options: tuple[str, ...]) -> Answer:
    """Build the bitstream of a core and a serial port, for a BOARD of 'montgomery list boards'."""
    if seeds > 1 and clock_mhz is None:
        raise click.UsageError("--seeds are tried until --clock is met; give --clock too")
    board = board_named(board_name)
    adapter = Adapter.of(uart_pins) if uart_pins is not None else None
    target = target_of(board)
    for option in target.options.keys() - options_of(board):
        if any(text.partition("=")[0].strip() == option for text in options):
            raise Refusal(f"board build takes no option {option}, since nextpnr is asked for the "
                          "frequency of the board's clock; give that with --clock")
    point = one_point("board build", arch, width, params, target.name, options)
    parameters = point.parameters()

    def make_top(frequency_hz: int) -> Top:
        return Top(parameters, frequency_hz=frequency_hz, baud=baud, more={"board": board.name})

    with Store(store_path) as store:
        built = Builder(store, point, board, make_top, baud=baud, adapter=adapter,
                        seeds=seeds, announce=announce).build(clock_mhz)
        output = output or Path(f"{default_name(point)}_{board.name}")
        path = built.copy(output)
        record = built.record
    notes = []
    if built.missed_mhz:
        tried = " and ".join(f"{mhz:.6g}" for mhz in built.missed_mhz)
        notes += [f"{board.name}: a faster clock was tried, but timing was not met at {tried} MHz"]
    if built.limit and clock_mhz is None:
        notes += [f"{board.name}: {built.limit}"]
    if built.note:
        notes += [f"{board.name}: {built.note}"]
    seed = f" with seed {built.seed}" if seeds > 1 else ""
    return Answer({**record, "path": str(path)},
                  [f"{path}: {record['bytes']:,} bytes, {built.clock_mhz:.6g} MHz (nextpnr reaches "
                   f"{built.fmax_mhz:.1f}{seed}), {baud} baud"], notes=notes)


def program(folder: Path, loader: bool) -> Answer:
    """Load the bitstream that 'montgomery board build' wrote to DIR into its board."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        name, core = str(record["board"]), f"{core_name(record)} of {record['width']} bits"
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Refusal(f"{folder} must hold a bitstream with its {RECORD}; 'montgomery board "
                      "build' writes both") from None
    programmers.program(board_named(name), folder, loader=loader)
    return Answer({"ok": True, "board": name}, [f"{name} is programmed with {core}"])


def simulate(arch: str, width: str, params: tuple[str, ...], link: Path | None,
             store_path: Path | None, as_json: bool) -> None:
    """Simulate a board with a core, behind a pseudo-terminal (Linux, macOS)."""
    if link is not None and link.exists() and not link.is_symlink():
        raise click.UsageError(f"--link must be a new name, but '{link}' exists; choose another")
    if link is not None and not link.is_symlink():
        check_file(link)
    point = one_point("board simulate", arch, width, params, None, ())
    parameters = point.parameters()
    compiler = find_compiler()
    if compiler is None:
        raise ToolMissing("A board is simulated compiled, and no C++ compiler was found; install "
                          "g++ or clang, or run 'pip install ziglang'")
    with tempfile.TemporaryDirectory() as folder:
        with Store(store_path) as store:
            library = board_library(store, parameters, Path(folder), compiler, baud=BAUD,
                                    announce=announce)
        board = SimulatedBoard(library)
    with contextlib.closing(board), contextlib.closing(Terminal(board, link)) as terminal:
        # Also from a script, whose background jobs ignore Ctrl-C, and by 'kill'.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        port = str(link or terminal.path)
        with contextlib.suppress(KeyboardInterrupt):
            if as_json:
                print_json({"port": port, "arch": name_of(parameters),
                            "kind": kind_of(parameters).name,
                            "width": parameters.width})
            else:
                click.echo(f"{point.name} with {parameters.width} bits at {port}, until "
                           f"Ctrl-C; try: montgomery board run --port {port}")
            for _ in terminal.serve():
                pass


#: What is done with the core, and the parameters that it takes.
_TAKEN: dict[str, set[str]] = {
    "self-test": {"vectors", "store_path"},
    "sign": {"file", "key", "password_file", "output"},
    "verify": {"file", "key", "signature"},
    "derive": {"file", "key", "password_file", "output"},
    "public-key": {"key", "password_file", "output"}}


def run(action: str | None, file: Path | None, port: str, baud: int, vectors: int,
        key: Path | None, password_file: Path | None, signature: Path | None,
        output: Path | None, store_path: Path | None, operands: tuple[str, ...]) -> Answer:
    """Use the core on a board, or on the simulated board of 'montgomery board simulate'."""
    some = {"operands", *itertools.chain(*_TAKEN.values())}
    if action is None:
        refuse_others("One operation", {"operands"}, some)
    else:
        refuse_others(f"'{action}'", _TAKEN[action], some)
        for name in {"file", "key"} & _TAKEN[action]:
            needed(name)
    letter, peer = (file if action == each else None for each in ("sign", "derive"))
    if key is not None and action != "verify":
        output = output_file(output, letter, peer, key, password_file)
    with ended_by_signals(), Client(port, baud=baud) as board:
        if action == "self-test":
            return _self_test(board, vectors, store_path)
        if action == "verify" and file is not None and key is not None:
            return verified(board, file, signature, key)
        if key is not None and output is not None:
            return use_key(board, letter, peer, key, password_file, output)
        if operands:
            return _operate(board, operands)
        return _show(board)


def _show(board: Client) -> Answer:
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


def _operate(board: Client, values: tuple[str, ...]) -> Answer:
    core = board.info.parameters
    operands = operation(core, values).values()
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


def _self_test(board: Client, count: int, store_path: Path | None) -> Answer:
    core = board.info.parameters
    with meter(f"testing {name_of(core)}") as progress:
        report = self_test(board, count, progress=progress)
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
    password = keys.load_password(password_file) if password_file else None
    use = keys.SIGNING if letter else keys.AGREEING if peer else keys.OF_POINTS
    key = keys.on_board(board, keys.load_key(key_path, use, password))
    more, times = {}, ""
    if letter is not None:
        what, said = "signature", "signature, verified"
        content = key.sign(letter.read_bytes(), *_how(key))
        more = {"operations": key.operations}
        if key.operations > 1:
            times = ", two exponentiations of half the length"
    elif peer is not None:
        what, of_curve = "secret", hasattr(key, "curve")
        content = key.exchange(*[ECDH()] * of_curve, keys.load_key(peer, keys.PEER))
        said = f"{len(content)} bytes, to be read by you alone"
    else:
        what, said = "public_key", "public key"
        content = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with atomic_write(output, private=what == "secret") as partial:
        partial.write_bytes(content)
    return Answer({what: str(output), "clocks": key.clocks, **more,
                   "clock_hz": board.info.clock_hz},
                  [f"{output}: {said}", f"  {time_of(board, key.clocks)}{times}"])


def _how(key: Any) -> tuple[Any, ...]:
    """Return what a key is told beside the data that it signs or verifies."""
    if isinstance(key, RSAPrivateKey):
        return PKCS1v15(), SHA256()
    return (ECDSA(SHA256()),) if hasattr(key, "curve") else ()


def verified(board: Client, letter: Path, signature: Path | None, key_path: Path) -> Answer:
    """Verify a signature; its file is that which is beside the other one, if None."""
    signature = signature or letter.with_name(f"{letter.name}.sig")
    if not signature.is_file():
        raise Refusal(f"The signature must be in {signature}, but the file is not there; name it "
                      "with --signature")
    key = keys.on_board(board, keys.load_key(key_path, keys.VERIFYING))
    try:
        key.verify(signature.read_bytes(), letter.read_bytes(), *_how(key))
        valid = True
    except InvalidSignature:
        valid = False
    said = "the signature of" if valid else "no signature of"
    return Answer({"valid": valid, "clocks": key.clocks,
                   "clock_hz": board.info.clock_hz},
                  [f"{signature}: {said} {letter} by the key in {key_path}",
                   f"  {time_of(board, key.clocks)}"], int(not valid))


def time_of(board: Client, clocks: int) -> str:
    """Return clocks, and how long they are on a board; simulated clocks have no length."""
    info = board.info
    mhz = info.clock_hz / 1e6
    return f"{clocks:,} clocks" + ("" if info.simulated else
                                   f", {time_text(clocks / mhz)} at {mhz:g} MHz")
