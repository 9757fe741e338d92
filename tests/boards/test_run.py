"""The commands that use a board, with a simulated one behind a pseudo-terminal."""

import contextlib
import dataclasses
import json
import math
import os
import pty
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import serial
from click.testing import CliRunner
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, x25519
from model_board import ModelBoard, private_pem, public_key_of

from boards.host import BoardError, Client, Info
from boards.keys import SIGNING, load_key
from boards.protocol import REPLY, Decoder, Frame, Problem, Type, packed, word_bytes
from boards.rsa import sign
from boards.top import description
from explore.cli import cli
from explore.tools.compiler import find_compiler
from montgomery import architectures, exponentiators, rsa_crt
from montgomery.arithmetic import is_prime
from montgomery.core import check_operands, kind_of, name_of, results_of, traits

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")

VECTORS = Path(__file__).parents[1] / "vectors"
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
    assert run("--port", simulated(EXPONENTIATOR), "--base", "0x10", "--exponent", 9,
               "--modulus", 1001)["value"] == hex(16 ** 9 % 1001)
    multiplier = simulated(MULTIPLIER)
    assert run("--port", multiplier)["arch"] == "mmm_mx_1d"
    product = run("--port", multiplier, "--x", 7, "--y", 8, "--modulus", 251)
    r = architectures()["mmm_mx_1d"](width=8).r
    assert int(product["value"], 0) % 251 == 7 * 8 * pow(r, -1, 251) % 251
    assert "must be odd" in run("--port", multiplier, "--x", 7, "--y", 8, "--modulus", 250,
                                status=2)
    assert "must have 8 bits or fewer, not 9; program the board with a wider core" in run(
        "--port", multiplier, "--x", 7, "--y", 8, "--modulus", 257, status=2)
    line = run("--port", multiplier, "--base", 7, "--exponent", 8, "--modulus", 251, status=2)
    assert "multiplier on the board takes all of --x, --y and --modulus" in line


@pytest.fixture(scope="module")
def key():
    return serialization.load_pem_private_key((VECTORS / "rsa512.pem").read_bytes(), None)


def test_rsa_signature(simulated, key, tmp_path):
    """By two exponentiations, since the core has half the bits of the key: 512."""
    pem, letter = tmp_path / "key.pem", tmp_path / "letter.txt"
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
def test_no_key_stays_on_the_board(simulated, key, monkeypatch, tmp_path, end):
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
    payload = (core.result_words * word_bytes(results_of(core).width)).to_bytes(2, "little")
    payload += packed(core.encode(*operands, **options), core.operands.width)
    with serial.serial_for_url(port, timeout=20) as line:
        line.write(Frame(Type.RUN, 1, payload).encode())
        reply, = Decoder().feed(line.read(len(Frame(Type.ERROR, 1, b"0").encode())))
    assert (reply.tag, reply.problem) == (1, Problem.NO_KEY)


def _primes(*lengths, public):
    """Return a prime of each length for a public exponent."""
    rng = random.Random(f"{lengths} {public}")
    for bits in lengths:
        while True:
            prime = rng.getrandbits(bits) | 3 << (bits - 2) | 1
            if is_prime(prime) and math.gcd(prime - 1, public) == 1:
                yield prime
                break


def _key(*lengths, public=65537, more=0):
    """Return a key, and numbers of the same key with an exponent that is not reduced."""
    p, q = _primes(*lengths, public=public)
    order = math.lcm(p - 1, q - 1)
    d = pow(public, -1, order)
    numbers = rsa.RSAPrivateNumbers(
        p=p, q=q, d=d, dmp1=d % (p - 1), dmq1=d % (q - 1), iqmp=pow(q, -1, p),
        public_numbers=rsa.RSAPublicNumbers(n=p * q, e=public))
    key = numbers.private_key()

    class Key:
        def private_numbers(self):
            return rsa.RSAPrivateNumbers(
                p=p, q=q, d=d + more * order, dmp1=numbers.dmp1, dmq1=numbers.dmq1,
                iqmp=numbers.iqmp, public_numbers=numbers.public_numbers)

    return key, Key()


class RsaBoard(ModelBoard):
    """A board that takes what its core takes."""

    def operate(self, *operands, exponent_bits):
        core = self.info.parameters
        if kind_of(core).name == "rsa_crt":
            assert exponent_bits == max(operands[-2:]).bit_length()
        check_operands(core, *operands, exponent_bits=exponent_bits)
        return super().operate(*operands)


SIGNERS = [*exponentiators().values(), *rsa_crt().values()]


@pytest.mark.parametrize("core", rsa_crt())
def test_a_signature_with_the_factors_of_the_key(core):
    core, key = rsa_crt()[core](width=512), load_key(VECTORS / "rsa512.pem", SIGNING)
    made = sign(RsaBoard(core), key, b"I owe you one.")
    assert (made.clocks, made.operations) == (7, 1)
    assert made.signature == key.sign(b"I owe you one.", padding.PKCS1v15(), hashes.SHA256())
    with pytest.raises(BoardError) as caught:
        sign(RsaBoard(core), load_key(VECTORS / "rsa768.pem", SIGNING), b"")
    # Nothing of the key but lengths.
    assert str(caught.value) == (
        "The core for RSA with CRT on the board has 512 bits, and does not take a key of 768 bits "
        "with factors of 384 and 384 bits; program it with one of 768 bits")
    with pytest.raises(BoardError, match="does not verify"):
        sign(RsaBoard(core, operate=lambda *operands: 1 << 600), key, b"")


@pytest.mark.parametrize("signer", SIGNERS,
                         ids=lambda signer: f"{kind_of(signer).name}.{name_of(signer)}")
@pytest.mark.parametrize(("lengths", "public", "more"), [
    ((256, 256), 3, 0), ((256, 256), 2**32 - 5, 0), ((256, 256), 65537, 1),
    ((256, 256), 65537, 5), ((256, 256), 3, 2**80), ((256, 255), 65537, 0), ((255, 256), 17, 3),
    ((253, 253), 5, 0)])
def test_keys_of_others(signer, lengths, public, more):
    core = signer(width=512)
    key, others = _key(*lengths, public=public, more=more)
    made = sign(RsaBoard(core), others, b"I owe you one.")
    assert made.signature == key.sign(b"I owe you one.", padding.PKCS1v15(), hashes.SHA256())


@pytest.mark.parametrize("signer", SIGNERS,
                         ids=lambda signer: f"{kind_of(signer).name}.{name_of(signer)}")
@pytest.mark.parametrize("public", [2**32 + 15, 2**63 - 25, 2**64 + 13, 2**127 - 1])
def test_long_public_exponents(signer, public):
    """A core that checks its results refuses them, and the ways out that it names are such."""
    core = signer(width=512)
    key, others = _key(256, 256, public=public)
    if traits(core).checks:
        with pytest.raises(BoardError) as caught:
            sign(RsaBoard(core), others, b"")
        assert str(caught.value) == (
            "The core for RSA with CRT on the board checks its results with the public exponent, "
            f"which must have 32 bits or fewer, and that of this key has {public.bit_length()}; "
            "program the board with the same core and -p check=none, or with an exponentiator of "
            "256 bits or more")
        core = dataclasses.replace(core, check="none")
    expected = key.sign(b"", padding.PKCS1v15(), hashes.SHA256())
    for taker in (core, exponentiators()["single_dsp"](width=256)):
        assert sign(RsaBoard(taker), others, b"").signature == expected


@pytest.mark.parametrize(("core", "lengths", "least"), [
    (exponentiators()["single_dsp"](width=256), (300, 212), 300),
    (exponentiators()["single_dsp"](width=300), (250, 302), 302),
    (rsa_crt()["dsp_systolic"](width=511), (257, 254), 513),
    (rsa_crt()["dsp_systolic"](width=512), (257, 255), 513),
    (rsa_crt()["dsp_systolic"](width=512), (256, 257), 513)])
def test_a_core_that_is_too_short_says_how_long_it_must_be(core, lengths, least):
    key, others = _key(*lengths)
    with pytest.raises(BoardError) as caught:
        sign(RsaBoard(core), others, b"")
    said = str(caught.value)
    assert f"factors of {lengths[0]} and {lengths[1]} bits" in said
    assert f" of {least} bits" in said
    assert sign(RsaBoard(dataclasses.replace(core, width=least)), others, b"").signature == (
        key.sign(b"", padding.PKCS1v15(), hashes.SHA256()))


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
            ("long", rsa.generate_private_key(65537, 1024), "does not take a key of 1024 bits"),
            ("none", None, "none holds no private key in the form of PEM, DER or OpenSSH")):
        path = tmp_path / name
        path.write_bytes(b"rubbish" if made is None else private_pem(made))
        assert complaint in run("--port", port, "sign", letter, "--key", path, status=2)
    assert "needs a core of the kind exponentiator, but the board has the multiplier" in run(
        "--port", simulated(MULTIPLIER), "sign", letter, "--key", VECTORS / "rsa512.pem", status=2)


def test_damaged_bytes_that_wait(simulated):
    """Complaints of what another client sent do not end the patience of the next one."""
    port = simulated(MULTIPLIER)
    damaged = bytearray(Frame(Type.INFO, 1).encode())
    damaged[5] ^= 1
    with serial.serial_for_url(port) as line:
        line.write(damaged * 200)
    assert run("--port", port, "--x", 7, "--y", 8, "--modulus", 251)["clocks"] > 0


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
            for frame in self._decoder.feed(data):
                text = b'{"arch":"magic","kind":"multiplier","width":8,"params":{},"clock_hz":1}'
                self._replies += Frame(frame.type | REPLY, frame.tag, text).encode()

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
