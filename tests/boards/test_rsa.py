"""Signatures by RSA by a core on a board, beside those of OpenSSL."""

import dataclasses
import functools
import math
import random

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import NoDigestInfo, Prehashed
from model_board import ModelBoard, rsa_key

from boards.host import BoardError
from boards.keys import on_board
from boards.objects import hashed
from boards.rsa import RSAPrivateKey
from montgomery import exponentiators, rsa_crt
from montgomery.arithmetic import is_prime
from montgomery.core import check_operands, kind_of, name_of, traits

SHA256 = padding.PKCS1v15(), hashes.SHA256()
LETTER = b"I owe you one."


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
    core, key = rsa_crt()[core](width=512), rsa_key(512)
    made = on_board(RsaBoard(core), key)
    assert made.sign(LETTER, *SHA256) == key.sign(LETTER, *SHA256)
    assert (made.clocks, made.operations) == (7, 1)
    with pytest.raises(BoardError) as caught:
        on_board(RsaBoard(core), rsa_key(768)).sign(b"", *SHA256)
    # Nothing of the key but lengths.
    assert str(caught.value) == (
        "The core for RSA with CRT on the board has 512 bits, and does not take a key of 768 bits "
        "with factors of 384 and 384 bits; program it with one of 768 bits")
    with pytest.raises(BoardError, match="does not verify"):
        on_board(RsaBoard(core, operate=lambda *operands: 1 << 600), key).sign(b"", *SHA256)


@pytest.mark.parametrize("signer", SIGNERS,
                         ids=lambda signer: f"{kind_of(signer).name}.{name_of(signer)}")
@pytest.mark.parametrize(("lengths", "public", "more"), [
    ((256, 256), 3, 0), ((256, 256), 2**32 - 5, 0), ((256, 256), 65537, 1),
    ((256, 256), 65537, 5), ((256, 256), 3, 2**80), ((256, 255), 65537, 0), ((255, 256), 17, 3),
    ((253, 253), 5, 0)])
def test_keys_of_others(signer, lengths, public, more):
    core = signer(width=512)
    key, others = _key(*lengths, public=public, more=more)
    made = RSAPrivateKey(RsaBoard(core), others).sign(LETTER, *SHA256)
    assert made == key.sign(LETTER, *SHA256)


@pytest.mark.parametrize("signer", SIGNERS,
                         ids=lambda signer: f"{kind_of(signer).name}.{name_of(signer)}")
@pytest.mark.parametrize("public", [2**32 + 15, 2**63 - 25, 2**64 + 13, 2**127 - 1])
def test_long_public_exponents(signer, public):
    """A core that checks its results refuses them, and the ways out that it names are such."""
    core = signer(width=512)
    key, others = _key(256, 256, public=public)
    if traits(core).checks:
        with pytest.raises(BoardError) as caught:
            RSAPrivateKey(RsaBoard(core), others).sign(b"", *SHA256)
        assert str(caught.value) == (
            "The core for RSA with CRT on the board checks its results with the public exponent, "
            f"which must have 32 bits or fewer, and that of this key has {public.bit_length()}; "
            "program the board with the same core and -p check=none, or with an exponentiator of "
            "256 bits or more")
        core = dataclasses.replace(core, check="none")
    expected = key.sign(b"", *SHA256)
    for taker in (core, exponentiators()["single_dsp"](width=256)):
        assert RSAPrivateKey(RsaBoard(taker), others).sign(b"", *SHA256) == expected


@pytest.mark.parametrize(("core", "lengths", "least"), [
    (exponentiators()["single_dsp"](width=256), (300, 212), 300),
    (exponentiators()["single_dsp"](width=300), (250, 302), 302),
    (rsa_crt()["dsp_systolic"](width=511), (257, 254), 513),
    (rsa_crt()["dsp_systolic"](width=512), (257, 255), 513),
    (rsa_crt()["dsp_systolic"](width=512), (256, 257), 513)])
def test_a_core_that_is_too_short_says_how_long_it_must_be(core, lengths, least):
    key, others = _key(*lengths)
    with pytest.raises(BoardError) as caught:
        RSAPrivateKey(RsaBoard(core), others).sign(b"", *SHA256)
    said = str(caught.value)
    assert f"factors of {lengths[0]} and {lengths[1]} bits" in said
    assert f" of {least} bits" in said
    made = RSAPrivateKey(RsaBoard(dataclasses.replace(core, width=least)), others)
    assert made.sign(b"", *SHA256) == key.sign(b"", *SHA256)


SIGNER = rsa_crt()["dsp_systolic"](width=1024)


@functools.cache
def _pair(bits):
    """Return a key, and the key on a board."""
    key, _ = _key(512, bits - 512)
    assert key.key_size == bits
    return key, on_board(RsaBoard(SIGNER), key)


@pytest.mark.parametrize(("bits", "hash_"), [
    *((1024, hash_) for hash_ in (
        hashes.SHA1(), hashes.SHA224(), hashes.SHA256(), hashes.SHA384(), hashes.SHA512(),
        hashes.SHA512_224(), hashes.SHA512_256(), hashes.SHA3_224(), hashes.SHA3_256(),
        hashes.SHA3_384(), hashes.SHA3_512())),
    *((bits, hash_) for bits in (1023, 1017) for hash_ in (hashes.SHA1(), hashes.SHA512()))])
def test_paddings_and_hashes(bits, hash_):
    key, made = _pair(bits)
    public, digest = key.public_key(), hashed(hash_, LETTER)
    ones = made.sign(LETTER, padding.PKCS1v15(), hash_)
    assert ones == key.sign(LETTER, padding.PKCS1v15(), hash_)
    assert ones == made.sign(digest, padding.PKCS1v15(), Prehashed(hash_))
    longest = padding.calculate_max_pss_salt_length(made, hash_)
    for mask_hash, length, salt in (
            (hash_, padding.PSS.MAX_LENGTH, longest), (hash_, longest, longest), (hash_, 0, 0),
            (hash_, padding.PSS.DIGEST_LENGTH, min(hash_.digest_size, longest)),
            (hashes.SHA512(), 7, 7), (hashes.SHA1(), 1, 1)):
        if length is padding.PSS.DIGEST_LENGTH and salt < hash_.digest_size:
            continue
        how = padding.PSS(padding.MGF1(mask_hash), length)
        for data, algorithm in ((LETTER, hash_), (digest, Prehashed(hash_))):
            signature = made.sign(data, how, algorithm)
            public.verify(signature, LETTER, padding.PSS(padding.MGF1(mask_hash), salt), hash_)
            assert len(signature) == 128
    text = bytes(117 if key.key_size > 1017 else 116)
    assert made.sign(text, padding.PKCS1v15(), NoDigestInfo()) == key.sign(
        text, padding.PKCS1v15(), NoDigestInfo())


def _salted(length, hash_=SHA256[1]):
    return padding.PSS(padding.MGF1(hash_), length)


@pytest.mark.parametrize("arguments", [
    (LETTER, padding.OAEP(padding.MGF1(SHA256[1]), SHA256[1], None), SHA256[1]),
    (LETTER, None, SHA256[1]), (LETTER, padding.PKCS1v15(), None), ("letter", *SHA256),
    (LETTER, padding.PKCS1v15(), hashes.SHA256), (LETTER, padding.PKCS1v15(), hashes.BLAKE2s(32)),
    (LETTER, _salted(8), hashes.SHAKE128(32)), (LETTER, _salted(8), NoDigestInfo()),
    (LETTER, _salted(padding.PSS.AUTO), SHA256[1]), (LETTER, _salted(95), SHA256[1]),
    (LETTER, padding.PKCS1v15(), Prehashed(SHA256[1])), (LETTER, _salted(8), Prehashed(SHA256[1])),
    (bytes(118), padding.PKCS1v15(), NoDigestInfo())])
def test_what_cryptography_refuses_is_refused(arguments):
    """By an exception of the same class, and before the board has anything to do."""
    key, made = _pair(1024)
    before = made.operations
    with pytest.raises((TypeError, ValueError, UnsupportedAlgorithm)) as expected:
        key.sign(*arguments)
    with pytest.raises(expected.type, match=r"\A[^\n]+(\n|\Z)"):
        made.sign(*arguments)
    assert made.operations == before


@pytest.mark.parametrize(("bits", "hash_", "how", "least"), [
    (512, hashes.SHA512(), padding.PKCS1v15(), 745),
    (512, hashes.SHA256(), _salted(padding.PSS.DIGEST_LENGTH), 522),
    (512, hashes.SHA512(), _salted(padding.PSS.MAX_LENGTH), 522)])
def test_keys_that_are_too_short_for_a_padding(bits, hash_, how, least):
    """The length that is named does."""
    for length, fits in ((bits, False), (least - 1, False), (least, True)):
        key, _ = _key(length // 2, length - length // 2)
        while key.key_size != length:
            key, _ = _key(length // 2, length + 1 - length // 2)
        made = on_board(RsaBoard(SIGNER), key)
        if fits:
            key.public_key().verify(made.sign(LETTER, how, hash_), LETTER, how, hash_)
            continue
        with pytest.raises(ValueError, match=f"must have {least} bits or more for this padding and "
                                             f"hash, not {length}; take a longer one"):
            made.sign(LETTER, how, hash_)
        with pytest.raises(ValueError, match="too l"):
            key.sign(LETTER, how, hash_)


def test_messages_are_blinded():
    """The board gets another one each time, and the same signature comes of it."""
    key, sent = rsa_key(512), []
    core = exponentiators()["single_dsp"](width=512)

    def operate(base, exponent, modulus):
        sent.append(base)
        return pow(base, exponent, modulus)

    made = on_board(RsaBoard(core, operate=operate), key)
    assert {made.sign(LETTER, *SHA256) for _ in range(8)} == {key.sign(LETTER, *SHA256)}
    assert len(set(sent)) == 8


def test_a_key_on_a_board_decrypts_nothing():
    with pytest.raises(UnsupportedAlgorithm, match="signs, and decrypts nothing; decrypt by the"):
        on_board(RsaBoard(SIGNER), rsa_key(512)).decrypt(
            bytes(64), padding.PKCS1v15())
