"""Keys on boards stand for those of cryptography, in programs that know nothing of boards."""

import copy
import datetime
import pickle

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import (
    ec,
    ed448,
    ed25519,
    padding,
    rsa,
    x448,
    x25519,
)
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature
from curve_keys import ANY, CORES, EDWARDS, core
from model_board import RSA, ModelBoard, rsa_key

from boards.host import BoardError, Client
from boards.keys import on_board
from boards.objects import OnBoard

SHA256 = hashes.SHA256()
P256, P384 = (ec.generate_private_key(curve()) for curve in (ec.SECP256R1, ec.SECP384R1))
SIGNER, OTHER = (ed25519.Ed25519PrivateKey.generate() for _ in range(2))
LADDER, LONG = x25519.X25519PrivateKey.generate(), x448.X448PrivateKey.generate()
#: From classes of keys to one of them, and the core for it.
KEYS = {
    rsa.RSAPrivateKey: (RSA, core("exponentiator", "single_dsp", width=1024)),
    ec.EllipticCurvePrivateKey: (P256, ANY),
    ec.EllipticCurvePublicKey: (P256.public_key(), core("ecdsa_verification", width=256)),
    ed25519.Ed25519PrivateKey: (SIGNER, EDWARDS),
    ed25519.Ed25519PublicKey: (SIGNER.public_key(), core("eddsa_verification", width=255)),
    x25519.X25519PrivateKey: (LADDER, CORES["Curve25519"]),
    x448.X448PrivateKey: (LONG, CORES["Curve448"])}


class Board(ModelBoard):
    """A board that takes the options of keys of RSA."""

    def operate(self, *operands, **options):
        return super().operate(*operands)


def _on_board(key):
    return on_board(Board(next(core for kind, (_, core) in KEYS.items() if isinstance(key, kind))),
                    key)


@pytest.mark.parametrize("kind", KEYS, ids=lambda kind: kind.__name__)
def test_a_key_on_a_board_is_one_of_cryptography(kind):
    key = KEYS[kind][0]
    made = _on_board(key)
    assert [each for each in KEYS if isinstance(made, each)] == [kind]
    assert all(hasattr(made, name) for name in kind.__abstractmethods__)
    assert copy.copy(made) is copy.deepcopy(made) is made
    assert (made == key, key == made) == (True, True)
    assert made != _on_board(rsa_key(512))
    assert not hasattr(made, "clock")
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(made)
    if "Private" in kind.__name__:
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption())
        assert made.private_bytes(*form) == key.private_bytes(*form)
        assert len({key, made}) <= 2
        made = made.public_key()
        assert not isinstance(made, OnBoard)
        key = key.public_key()
    form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert made.public_bytes(*form) == key.public_bytes(*form)


@pytest.mark.parametrize("key", [
    RSA.public_key(), ed448.Ed448PrivateKey.generate(), LADDER.public_key(), "key"],
    ids=lambda key: type(key).__name__)
def test_keys_for_which_a_board_does_nothing(key):
    with pytest.raises(TypeError, match=r"\AA key on a board must be one of RSAPrivateKey, [^\n]+, "
                                        f"not {type(key).__name__}; use the key without the "):
        on_board(Board(core("exponentiator", "single_dsp", width=8)), key)


@pytest.mark.parametrize(("key", "hash_", "options"), [
    (RSA, SHA256, {}), (P256, SHA256, {}), (SIGNER, None, {}),
    (RSA, SHA256, {"rsa_padding": padding.PSS(padding.MGF1(SHA256), 32)})],
    ids=["RSA", "ECDSA", "Ed25519", "PSS"])
def test_certificates_by_a_board(key, hash_, options):
    """Requests, certificates, lists of revoked ones, and certificates of SSH."""
    made = _on_board(key)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "board")])
    day = datetime.datetime(2026, 1, 1)
    request = x509.CertificateSigningRequestBuilder().subject_name(name)
    assert request.sign(made, hash_, **options).is_signature_valid
    certificate = x509.CertificateBuilder(
        name, name, made.public_key(), 7, day, day + datetime.timedelta(1)).sign(
            made, hash_, **options)
    certificate.verify_directly_issued_by(certificate)
    revoked = x509.CertificateRevocationListBuilder(name, day, day).sign(made, hash_, **options)
    assert revoked.is_signature_valid(key.public_key())
    ssh = serialization.SSHCertificateBuilder().public_key(key.public_key()).serial(1).type(
        serialization.SSHCertificateType.USER).valid_for_all_principals().valid_after(
            0).valid_before(1)
    ssh.sign(made).verify_cert_signature()
    # And the public key of a curve.
    assert made.operations == 5 - isinstance(key, rsa.RSAPrivateKey)


ECDSA, DIGEST = ec.ECDSA(SHA256), ec.ECDSA(Prehashed(SHA256))
PRIME = CORES["Curve25519"].domain.p
SIGNED = P256.sign(b"letter", ECDSA)


@pytest.mark.parametrize(("key", "method", "arguments"), [
    (P256, "sign", ("letter", ECDSA)), (P256, "sign", (b"letter", SHA256)),
    (P256, "sign", (b"letter", None)), (P256, "sign", (b"letter", DIGEST)),
    (P256, "exchange", (ec.ECDH(), P384.public_key())), (P256, "exchange", (ec.ECDH(), P256)),
    (P256, "exchange", (ec.ECDH(), LADDER.public_key())),
    (P256, "exchange", (None, P256.public_key())),
    (P256.public_key(), "verify", (SIGNED, b"letters", ECDSA)),
    (P256.public_key(), "verify", (SIGNED[:-1], b"letter", ECDSA)),
    (P256.public_key(), "verify", (encode_dss_signature(1 << 300, 1), b"letter", ECDSA)),
    (P256.public_key(), "verify", (SIGNED, "letter", ECDSA)),
    (P256.public_key(), "verify", ("letter", b"letter", ECDSA)),
    (P256.public_key(), "verify", (SIGNED, b"letter", SHA256)),
    (P256.public_key(), "verify", (SIGNED, b"letter", DIGEST)),
    (SIGNER, "sign", ("letter",)), (SIGNER.public_key(), "verify", (bytes(63), b"letter")),
    (SIGNER.public_key(), "verify", (OTHER.sign(b"letter"), b"letter")),
    (SIGNER.public_key(), "verify", (OTHER.sign(b"letter"), "letter")),
    (SIGNER.public_key(), "verify", ("letter", b"letter")),
    (LADDER, "exchange", (LONG.public_key(),)), (LADDER, "exchange", (LADDER,)),
    *((LADDER, "exchange", (x25519.X25519PublicKey.from_public_bytes(u.to_bytes(32, "little")),))
      for u in (0, 1, PRIME - 1, PRIME, 1 << 255)),
    (LONG, "exchange", (x448.X448PublicKey.from_public_bytes(bytes(56)),))])
def test_what_cryptography_refuses_is_refused(key, method, arguments):
    """By an exception of the same class; a public key of small order is one, too."""
    with pytest.raises((TypeError, ValueError, InvalidSignature, UnsupportedAlgorithm)) as expected:
        getattr(key, method)(*arguments)
    with pytest.raises(expected.type):
        getattr(_on_board(key), method)(*arguments)


def test_a_board_that_is_closed():
    with Client("loop://") as board:
        keys = [(on_board(board, RSA), "sign", (b"", padding.PKCS1v15(), SHA256)),
                (on_board(board, P256), "exchange", (ec.ECDH(), P256.public_key())),
                (on_board(board, P256.public_key()), "verify", (SIGNED, b"letter", ECDSA)),
                (on_board(board, SIGNER), "public_key", ()),
                (on_board(board, LADDER), "exchange", (LADDER.public_key(),))]
    for key, method, arguments in keys:
        with pytest.raises(BoardError, match=r"\A[^\n]+\Z"):
            getattr(key, method)(*arguments)
