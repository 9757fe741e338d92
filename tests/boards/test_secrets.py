"""Secrets are in the files that were asked for, for their owner alone, and nowhere else."""

import base64
import logging
import tempfile

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519
from curve_keys import ANY, CORES, EDWARDS, core, shared
from model_board import RSA, ModelBoard, private_pem, public_key_of

from explore.cli import cli

P256, LADDER = ec.generate_private_key(ec.SECP256R1()), x25519.X25519PrivateKey.generate()
SIGNER = ed25519.Ed25519PrivateKey.generate()


def _numbers(key):
    if isinstance(key, rsa.RSAPrivateKey):
        private = key.private_numbers()
        return [private.p, private.q, private.d, private.dmp1, private.dmq1]
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return [key.private_numbers().private_value]
    return [int.from_bytes(key.private_bytes_raw(), order) for order in ("little", "big")]


def _forms(number):
    """Return how a number may stand in a file or in a message."""
    octets = number.to_bytes(-(-number.bit_length() // 8), "big")
    return [octets, octets[::-1], octets.hex().encode(), octets[::-1].hex().encode(),
            f"{number:x}".encode(), f"{number:X}".encode(), str(number).encode(),
            f"{number:b}".encode(), base64.b64encode(octets)[:40]]


@pytest.fixture
def run(tmp_path, monkeypatch, caplog):
    """Return a function that runs a command in a folder, and returns what it wrote, by name.

    Temporary files, the store and the cache are in the folder, too. What the command says, logs and
    shows of a fault is under the empty name.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("MONTGOMERY_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    caplog.set_level(logging.DEBUG)

    def run(*arguments):
        before = set(tmp_path.rglob("*"))
        done = CliRunner().invoke(cli, ["--debug", *arguments])
        wrote = {str(path.relative_to(tmp_path)): path.read_bytes() for path in
                 set(tmp_path.rglob("*")) - before if path.is_file()}
        return {**wrote, "": f"{done.stdout}{done.stderr}{caplog.text}".encode()}

    return run


def _open(operate):
    """Return what stands for a client; its board does as it is told."""
    return lambda core: lambda port, baud: type("Board", (ModelBoard,), {
        "operate": lambda self, *operands, **options: ModelBoard.operate(self, *operands)})(
            core, operate=operate)


@pytest.mark.parametrize("fault", [False, True], ids=["right", "wrong"])
@pytest.mark.parametrize(("key", "core", "action"), [
    (RSA, core("rsa_crt", "dsp_systolic", width=1024), "sign"), (P256, ANY, "sign"),
    (P256, ANY, "derive"), (P256, ANY, "public-key"), (SIGNER, EDWARDS, "sign"),
    (LADDER, CORES["Curve25519"], "derive"), (LADDER, CORES["Curve25519"], "public-key")])
def test_no_secret_of_a_key_is_anywhere(run, tmp_path, monkeypatch, key, core, action, fault):
    def wrong(*operands):
        raise ValueError(f"Operands must be others, not {operands}")

    monkeypatch.setattr("explore.commands.board.Client", _open(wrong if fault else None)(core))
    (tmp_path / "key.pem").write_bytes(private_pem(key))
    peer = x25519.X25519PrivateKey.generate() if key is LADDER else ec.generate_private_key(
        ec.SECP256R1())
    (tmp_path / "file").write_bytes(public_key_of(peer))
    wrote = run("board", "run", *[action, *["file"] * (action != "public-key")], "--port", "model",
                "--key", "key.pem")
    secrets = _numbers(key)
    if action == "derive":
        secret = shared(key, peer.public_key())
        secrets += [int.from_bytes(secret, order) for order in ("big", "little")]
        assert wrote.pop("file.secret", secret if fault else None) == secret
        assert fault or (tmp_path / "file.secret").stat().st_mode & 0o777 == 0o600
    assert len(wrote) == 2 - (fault or action == "derive")
    for name, content in wrote.items():
        assert not [form for number in secrets for form in _forms(number) if form in content], name
    assert (b"internal error" in wrote[""]) is False


def test_operands_of_one_operation_are_in_the_waveform_alone(run, tmp_path):
    """They are on the command line, and a waveform was asked for."""
    x, y, modulus = 0xA3_1557_2FCD_9E01, 0xB4_2668_30DE_AF13, 0xFF_FFFF_FFFF_FFC5
    wrote = run("verify", "-a", "mmm_mx_1d", "-n", "56", "--engine", "amaranth", "--operands",
                f"x={x:#x},y={y:#x},modulus={modulus:#x}", "--vcd", "one.vcd", "--json")
    # The core gets words of 16 bits.
    assert f"b{x & 0xFFFF:b}".encode() in wrote.pop("one.vcd")
    assert (tmp_path / "one.vcd").stat().st_mode & 0o777 == 0o600
    assert hex(x).encode() in wrote.pop("")
    for name, content in wrote.items():
        assert not [form for form in _forms(x) + _forms(y) if form in content], name
