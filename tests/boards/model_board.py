"""A board whose core is a model, and keys as files have them."""

from pathlib import Path

from cryptography.hazmat.primitives import serialization

from boards.host import Client, Info, Result
from explore.simulation.kinds import adapter
from montgomery.core import results_of

__all__ = ["RSA", "VECTORS", "ModelBoard", "private_pem", "public_key_of", "refusing", "rsa_key"]

VECTORS = Path(__file__).parents[1] / "vectors"


def rsa_key(bits):
    """Return a private key of RSA; there are such of 512, 768, 1024, 2048, 3072 and 4096 bits."""
    return serialization.load_pem_private_key((VECTORS / f"rsa{bits}.pem").read_bytes(), None)


RSA = rsa_key(1024)

PEM = serialization.Encoding.PEM


def private_pem(key, password=None):
    """Return a private key in PEM form, encrypted if there is a password."""
    protection = (serialization.BestAvailableEncryption(password) if password else
                  serialization.NoEncryption())
    return key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, protection)


def public_key_of(key, encoding=PEM):
    """Return the public key of a private one."""
    return key.public_key().public_bytes(encoding,
                                         serialization.PublicFormat.SubjectPublicKeyInfo)


def refusing(core):
    """Return what a board does whose core refuses all operands."""
    words = [(1 << results_of(core).width) - 1] * core.result_words
    return lambda *operands: core.decode(words)


class ModelBoard:
    """A board that multiplies by Python's integers, or does as it is told."""

    def __init__(self, core, operate=None):
        self.info = Info(parameters=core, clock_hz=10**6)
        self._operate = operate or adapter(core).golden

    require, __enter__ = Client.require, Client.__enter__

    def __exit__(self, *_):
        pass

    def operate(self, *operands):
        assert all(type(operand) is int for operand in operands)
        return Result(value=self._operate(*operands), clocks=7)
