"""The commands that use a board, with a simulated one behind a pseudo-terminal."""

import contextlib
import json
import math
import os
import pty
import shutil
import signal
import subprocess
import sys
import time

import pytest
import serial
from click.testing import CliRunner
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, x25519
from model_board import RSA, VECTORS, private_pem, public_key_of, rsa_key

from boards.host import BoardError, Client, Info
from boards.protocol import Decoder, Reply, Request, packed
from boards.top import description
from explore.cli import cli
from explore.tools.compiler import find_compiler
from montgomery import architectures, exponentiators
from montgomery.bus.registers import ID, RESULT, TEXT, Command, Status
from montgomery.core import results_of

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")

MULTIPLIER = ("-a", "mmm_mx_1d", "-n", "8")
EXPONENTIATOR = ("-a", "exponentiation.single_dsp", "-n", "256")
PROGRAM = (sys.executable, "-c", "from explore.cli import cli; cli()", "board")


@pytest.fixture(scope="module")
def simulated(shared_store, tmp_path_factory):
    """Return a function that returns the port of a simulated board."""
    with contextlib.ExitStack() as stack:
        ports = {}

        def simulated(core):
            if core not in ports:
                link = tmp_path_factory.mktemp("port") / "board"
                process = stack.enter_context(subprocess.Popen(
                    [*PROGRAM, "simulate", *core, "--link", str(link), "--store",
                     str(shared_store), "--json"], stdout=subprocess.PIPE, text=True))
                stack.callback(process.terminate)
                ports[core] = json.loads(process.stdout.readline())["port"]
            return ports[core]

        yield simulated


def run(*arguments, status=0):
    """Return what the command prints, as JSON, or its one line of complaint."""
    done = CliRunner().invoke(cli, ["board", "run", *map(str, arguments), "--json"])
    assert done.exit_code == status, done.stderr
    if status == 0:
        return json.loads(done.stdout)
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("core", [MULTIPLIER, EXPONENTIATOR],
                         ids=["multiplier", "exponentiator"])
def test_self_test(simulated, core):
    report = run("--port", simulated(core), "self-test", "--vectors", 25)
    assert report["ok"]
    assert report["simulated"]
    assert report["vectors"] == 25


def test_single_operations(simulated):
    power = run("--port", simulated(EXPONENTIATOR), "--operands",
                "base=0x10,exponent=9,modulus=1001")
    assert power["value"] == hex(16 ** 9 % 1001)
    multiplier = simulated(MULTIPLIER)
    assert run("--port", multiplier)["arch"] == "mmm_mx_1d"
    product = run("--port", multiplier, "--operands", "x=7,y=8,modulus=251")
    r = architectures()["mmm_mx_1d"](width=8).r
    assert int(product["value"], 0) % 251 == 7 * 8 * pow(r, -1, 251) % 251
    assert "must be odd" in run("--port", multiplier, "--operands", "x=7,y=8,modulus=250",
                                status=2)
    assert "must have 8 bits or fewer, not 9; program the board with a wider core" in run(
        "--port", multiplier, "--operands", "x=7,y=8,modulus=257", status=2)
    line = run("--port", multiplier, "--operands", "base=7,exponent=8,modulus=251", status=2)
    assert "takes --operands x=N,y=N,modulus=N, and no other number" in line


def test_rsa_signature(simulated, tmp_path):
    """By two exponentiations, since the core has half the bits of the key: 512."""
    key, pem, letter = rsa_key(512), tmp_path / "key.pem", tmp_path / "letter.txt"
    secret = tmp_path / "password"
    secret.write_text("open sesame\n")
    pem.write_bytes(private_pem(key, b"open sesame"))
    letter.write_bytes(b"I owe you one.")
    arguments = ("--port", simulated(EXPONENTIATOR), "sign", letter, "--key", pem)
    assert "is encrypted; give its password with --password-file" in run(*arguments, status=2)
    for taken in (pem, letter, secret):
        before = taken.read_bytes()
        assert "The output would overwrite" in run(
            *arguments, "--password-file", secret, "--output", taken, status=2)
        assert taken.read_bytes() == before
    assert "needs the folder" in run(*arguments, "--output", tmp_path / "no" / "x.sig", status=2)
    made = run(*arguments, "--password-file", secret)
    assert made["operations"] == 2
    signature = (tmp_path / "letter.txt.sig").read_bytes()
    public = key.public_key()
    public.verify(signature, letter.read_bytes(), padding.PKCS1v15(), hashes.SHA256())
    with pytest.raises(InvalidSignature):
        public.verify(signature, b"I owe you two.", padding.PKCS1v15(), hashes.SHA256())
    if shutil.which("openssl") is not None:
        pem.write_bytes(public_key_of(key))
        subprocess.run(["openssl", "dgst", "-sha256", "-verify", pem, "-signature",
                        f"{letter}.sig", letter], check=True, capture_output=True)


@pytest.mark.parametrize("end", ["success", "error", "Ctrl-C", "SIGTERM", "SIGHUP"])
def test_no_key_stays_on_the_board(simulated, monkeypatch, tmp_path, end):
    """Whoever opens the port next, and sends no key, gets no signature."""
    port = simulated(EXPONENTIATOR)
    operations = []
    (tmp_path / "letter").write_bytes(b"I owe you one.")

    def operate(self, *operands, **options):
        operations.append((operands, options))
        result = whole(self, *operands, **options)
        if end == "error":
            raise BoardError("It broke.")
        if end != "success":
            os.kill(os.getpid(), getattr(signal, end.replace("Ctrl-C", "SIGINT")))
        return result

    whole = Client.operate
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with monkeypatch.context() as patched:
        patched.setattr(Client, "operate", operate)
        done = CliRunner().invoke(cli, ["board", "run", "--port", port, "sign", str(
            tmp_path / "letter"), "--key", str(VECTORS / "rsa512.pem")])
    assert done.exit_code == {"success": 0, "error": 2}.get(end, 130)
    assert handlers == {number: signal.getsignal(number) for number in handlers}
    assert (tmp_path / "letter.sig").exists() == (end == "success")
    assert operations
    operands, options = operations[-1]
    core = exponentiators()["single_dsp"](width=256)
    words, bits = core.encode(*operands, **options), core.result_words * results_of(core).width
    # All registers of the result are zeros.
    request = Request(tag=1, read=RESULT, count=core.result_words, command=Command.START,
                      words=len(words), data=packed(words, core.operands.width))
    refused = Status.DONE | Status.ERROR_KEY
    with serial.serial_for_url(port, timeout=20) as line:
        line.write(request.encode())
        content, = Decoder().feed(line.read_until(b"\x7e") + line.read_until(b"\x7e"))
        reply = Reply.decode(content, bits)
    assert (reply.tag, reply.number, reply.status) == (1, 0, refused)


@pytest.mark.parametrize(("name", "value"), [
    ("clock_hz", 1), ("clock_hz", 999_999), ("clock_hz", 2 * 10**9), ("clock_hz", math.nan),
    ("clock_hz", "fast"), ("clock_hz", None), ("board", "\x1b[2J"), ("board", 7),
    ("arch", "magic"), ("width", "x")])
def test_a_board_that_says_what_cannot_be(name, value):
    core = architectures()["mmm_mx_1d"](width=8)
    said = description(core, clock_hz=12_000_000, baud=115_200) | {name: value}
    with pytest.raises(BoardError, match="not known here"):
        Info.of(json.dumps(said).encode())


@pytest.mark.parametrize("text", [b'{"clock_hz": 1e400}', b"[" * 100_000, b"\xff", b"3", b""])
def test_a_board_that_says_no_sense(text):
    with pytest.raises(BoardError, match="not known here"):
        Info.of(text)


def test_keys_that_cannot_be_used(simulated, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("")
    port = simulated(EXPONENTIATOR)
    for name, made, complaint in (
            ("curve", ec.generate_private_key(ec.SECP256R1()),
             "needs a core of the kind scalar_multiplication, but the board has the "),
            ("other", x25519.X25519PrivateKey.generate(), "signing needs an RSA, EC or Ed25519"),
            ("edwards", ed25519.Ed25519PrivateKey.generate(),
             "needs a core of the kind base_multiplication, but the board has the "),
            ("long", RSA, "does not take a key of 1024 bits"),
            ("none", None, "none holds no private key in the form of PEM, DER or OpenSSH")):
        path = tmp_path / name
        path.write_bytes(b"rubbish" if made is None else private_pem(made))
        assert complaint in run("--port", port, "sign", letter, "--key", path, status=2)
    assert "needs a core of the kind exponentiator, but the board has the multiplier" in run(
        "--port", simulated(MULTIPLIER), "sign", letter, "--key", VECTORS / "rsa512.pem", status=2)


def test_damaged_bytes_that_wait(simulated):
    """Complaints of what another client sent do not end the patience of the next one."""
    port = simulated(MULTIPLIER)
    damaged = bytearray(Request(tag=1).encode())
    damaged[5] ^= 1
    with serial.serial_for_url(port) as line:
        line.write(damaged * 200)
    assert run("--port", port, "--operands", "x=7,y=8,modulus=251")["clocks"] > 0


def test_two_clients(simulated):
    port = simulated(MULTIPLIER)
    with Client(port) as one:
        assert one.info.simulated
        done = subprocess.run([*PROGRAM, "run", "--port", port], capture_output=True, text=True,
                              timeout=300)
        assert done.returncode == 2
        assert f"Cannot open port '{port}'" in done.stderr
        with pytest.raises(BoardError, match="close the other program that has it open"):
            Client(port)
    assert run("--port", port)["width"] == 8


def test_no_port(tmp_path):
    assert "No such file or directory; 'python -m serial.tools.list_ports' lists the ports" in run(
        "--port", tmp_path / "nothing", status=2)
    plain = tmp_path / "file"
    plain.write_text("")
    assert f"Cannot open port '{plain}'" in run("--port", plain, status=2)


def test_nobody_answers():
    ours, theirs = pty.openpty()
    try:
        with Client(os.ttyname(theirs)) as board:
            begin = time.monotonic()
            with pytest.raises(BoardError, match="No reply from the board to 5 requests: nothing "
                                                 "came back; check that it is programmed"):
                board.info.parameters.check()
            assert time.monotonic() - begin < 10
    finally:
        os.close(ours)
        os.close(theirs)


def test_another_board():
    """A reply that is intact, and says what is not known here."""
    class Stranger:
        in_waiting = 0

        def __init__(self):
            self._replies, self._decoder = b"", Decoder()

        def write(self, data):
            text = b'{"arch":"magic","kind":"multiplier","width":8,"params":{},"clock_hz":1}'
            registers = [0] * RESULT
            registers[0], registers[TEXT] = ID, RESULT << 16 | len(text)
            said = int.from_bytes(packed(registers, 32) + text, "little")
            for frame in self._decoder.feed(data):
                request = Request.decode(frame)
                bits = 32 * request.count
                self._replies += Reply(tag=request.tag, number=said >> request.read * 32
                                       & (1 << bits) - 1).encode(bits)

        def flush(self):
            pass

        def read(self, size):
            data, self._replies = self._replies[:size], self._replies[size:]
            return data

    with pytest.raises(BoardError, match=r"not known here \('magic'\).*program it anew"):
        Client(Stranger()).require("multiplier")


def test_the_terminal_goes_away_with_the_program(shared_store, tmp_path):
    link = tmp_path / "board"
    with subprocess.Popen([*PROGRAM, "simulate", *MULTIPLIER, "--link", link, "--store",
                           shared_store], stdout=subprocess.PIPE, text=True) as process:
        assert f"at {link}, until Ctrl-C" in process.stdout.readline()
        assert link.is_symlink()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert not link.is_symlink()
