"""The C driver: the words that it sends are those of the cores' own parameters."""

import dataclasses
import hashlib
import random
import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from driver_bench import WARNINGS, Device, Registers, built, number

from boards.keys import SIGNING, load_key
from explore.export import driver
from explore.simulation import edge_vectors, random_vectors
from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.bus.registers import RegisterMap
from montgomery.core import (
    Field,
    Message,
    expected_words,
    from_words,
    key_of,
    kind_of,
    option_names,
    results_of,
)

pytestmark = [pytest.mark.real_cores,
              pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")]

SEED = 20261130


def cores(*widths):
    """Return a core of each architecture but hashes for each width, if there is one of it."""
    found = []
    for name, kind in KINDS.items():
        for cls in kind.cores().values() if name not in ("hash", "design") else ():
            least = cls.__dataclass_fields__["width"].metadata["minimum"]
            for width in {max(width, least) for width in widths}:
                try:
                    found.append(cls(width=width))
                except ValueError:
                    continue  # no curve has this width
    return found


def core(name, **params):
    kind, name = name.split(".")
    return KINDS[kind].cores()[name](**params)


MULTIPLIER = core("multiplier.multi_step", width=64)  # which keeps its results
BY_WORDS = core("multiplier.mmm_mx_1d", width=64)
WHOLE = core("multiplier.mmm_cs_2d", width=64)  # which has no keys
EXPONENTIATOR = core("exponentiator.generic", width=512)
POINTS = core("scalar_multiplication.wide", width=256)
BASE = core("base_multiplication.wide", width=256)
X25519 = core("key_agreement.wide", width=255)
ECDSA = core("ecdsa_verification.wide", width=256)
SHA1 = core("hash.sha1", width=256)
RSA = core("rsa_crt.dsp_systolic", width=2050)
RSA_RNS = core("rsa_crt.cox_rower", width=2048)
#: It takes q = 1, too.
SINGLE = core("rsa_crt.cox_rower", width=512, keys="both", check="none")
QUICK = [*cores(9, 64, 255), core("rsa_crt.dsp_systolic", width=10, check="none"),
         core("multiplier.dsp_systolic", width=64, quotient="delayed"),
         core("exponentiator.dsp_systolic", width=64, quotient="delayed"),
         core("rsa_crt.dsp_systolic", width=64, quotient="plain"),
         core("exponentiator.single_dsp", width=64, method="always"),
         core("rsa_crt.cox_rower", width=64, keys="both", check="none")]
ALL = list(dict.fromkeys([*QUICK, MULTIPLIER, BY_WORDS, WHOLE, EXPONENTIATOR, POINTS, BASE, X25519,
                          ECDSA, SHA1, RSA, RSA_RNS, SINGLE]))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Arithmetic(type(core("inversion.divsteps", width=64))):
    """What formulas may say, of x and an odd modulus, as a core that sends it."""

    @property
    def operands(self):
        formulas = ("x // modulus", "x % modulus", "-x // modulus + x", "-x % modulus",
                    "x * x % modulus", "math.gcd(x, modulus)", "x << modulus.bit_length() - 3",
                    "x >> 33", "x | modulus", "max(x, modulus) - 1", "x * x * modulus // (x + 1)",
                    "pow(x, 65537, modulus)", "7 if x == 1 else x", "(x - modulus) * (x - modulus)",
                    "pow(x * modulus + 1, -1, modulus)")
        return Message(33, tuple(Field(f"f{index}", 40, "", formula)
                                 for index, formula in enumerate(formulas)))


ARITHMETIC = Arithmetic(width=256)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return built([*ALL, ARITHMETIC], tmp_path_factory.mktemp("driver"))


def never(words):
    raise AssertionError("the core must not be asked")


def opened(library, params, answer=never, among=ALL):
    """Return a device with a core, which gives what ``answer`` does for words of operands."""
    device = Device(library, among.index(params), Registers(params, answer))
    assert device.opened == "OK"
    return device


def check_vectors(library, params, vectors, among=ALL):
    """Have the driver load keys and operate, and compare all words that it sends."""
    words = []
    device = opened(library, params, lambda sent: words, among)
    is_little = kind_of(params).name in ("key_agreement", "eddsa_verification")
    order = "little" if is_little else "big"
    for inputs in vectors:
        key, result = key_of(params, *inputs), adapter(params).golden(*inputs)
        words = expected_words(params, *inputs, result=result)
        if key:
            options = option_names(params)
            assert device.load(*map(number, key), *[number(None)] * len(options)) == "OK"
            longest = max(each.bit_length() for each in key)
            assert device.registers.sent[-1] == params.encode_key(
                *key, **dict.fromkeys(options, longest))
        value = params.decode(words)
        length = (max(value.bit_length(), params.width) + 15) // 8
        expected, half = [value], getattr(params, "field_words", 0)
        if half and len(words) == 2 * half:
            expected = [from_words(part, params.word_width)
                        for part in (words[:half], words[half:])]
        own = inputs[:len(inputs) - len(key)]
        results = device.run(*(number(each, order=order) for each in own),
                             lengths=[length] * len(expected))
        assert device.registers.sent[-1] == params.encode(*own, *key)
        assert results == [each.to_bytes(length, order) for each in expected]


@pytest.mark.parametrize("params", QUICK, ids=str)
def test_words_are_those_of_the_core(library, params):
    check_vectors(library, params, edge_vectors(params)[:8] + random_vectors(params, 3, SEED))


@pytest.mark.thorough
def test_words_are_those_of_the_core_at_real_widths(tmp_path):
    """To make some of these cores takes seconds."""
    real = [*cores(256, 384, 448, 521, 1024, 2048), core("rsa_crt.dsp_systolic", width=4096)]
    library = built(real, tmp_path)
    for params in real:
        print(params)
        check_vectors(library, params, edge_vectors(params) + random_vectors(params, 5, SEED), real)


def test_there_is_a_test_of_each_kind():
    assert {kind_of(params).name for params in ALL} == {*KINDS} - {"design"}


def test_steps_compute_what_python_does(library):
    device = opened(library, ARITHMETIC, lambda words: expected_words(ALL[0], 0, 0, 3),
                    [*ALL, ARITHMETIC])
    rng, limbs = random.Random(SEED), (0, 1, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1)
    for _ in range(300):  # limbs for which a digit of a quotient is guessed wrong
        x, modulus = (from_words(rng.choices(limbs, k=rng.randrange(1, 9)), 32) for _ in "xm")
        modulus |= 7
        device.run(number(x), number(modulus), lengths=[40])
        assert device.registers.sent.pop() == ARITHMETIC.operands.encode(
            {"x": x, "modulus": modulus}), (x, modulus)


# -- Functions for a kind.


def test_a_multiplier_that_keeps_its_result_is_told_so(library):
    device = opened(library, MULTIPLIER, lambda words: expected_words(MULTIPLIER, 5, 6, 7))
    assert device.load(number(7)) == "OK"
    for x, y in ((5, 6), (None, 6), (5, None), (None, None)):
        assert len(device.do("mul", number(x), number(y), length=8)) == 8
        assert device.registers.sent[-1] == MULTIPLIER.encode(x, y)


def test_a_modulus_without_a_key_goes_with_the_factors(library):
    device = opened(library, WHOLE, lambda words: expected_words(WHOLE, 5, 6, 2**61 - 1))
    assert device.load(modulus := number(2**61 - 1)) == "OK"
    assert not device.registers.sent
    result = device.do("mul", number(5), number(6), length=9)
    assert device.registers.sent == [WHOLE.encode(5, 6, 2**61 - 1)]
    assert int.from_bytes(result, "big") == WHOLE.compute(5, 6, 2**61 - 1)
    assert modulus.length == 8


@pytest.mark.parametrize("prefix", [b"", b"\4"])
def test_a_shared_point_is_one_coordinate_or_both(library, prefix):
    x, y = POINTS.domain.base
    octets = [each.to_bytes(32, "big") for each in (x, y)]
    device = opened(library, POINTS, lambda words: expected_words(POINTS, 1, x, y))
    point = number(prefix + b"".join(octets))
    assert device.do("ecdh", number(1), point, length=32) == octets[0]
    assert device.do("ecdh", number(1), point, length=64) == b"".join(octets)
    assert device.registers.sent[-1] == POINTS.encode(1, x, y)
    assert device.do("ecdh", number(1), number(None), length=32) == "WRONG_CORE"
    assert device.do("ecdh", number(1), point, length=33) == "RANGE"
    assert device.do("ecdh", number(1), number(b"\3" + b"".join(octets)), length=32) == "RANGE"
    base = opened(library, BASE, lambda words: expected_words(BASE, 1))
    assert base.do("ecdh", number(1), number(None), length=64) == b"".join(octets)
    assert base.do("ecdh", number(1), point, length=64) == "WRONG_CORE"


def test_x25519_has_its_octets_in_the_order_of_rfc_7748(library):
    scalar, u, secret = map(bytes.fromhex, (  # RFC 7748, 5.2
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"))
    numbers = [int.from_bytes(each, "little") for each in (scalar, u)]
    device = opened(library, X25519, lambda words: expected_words(X25519, *numbers))
    assert device.do("x25519", number(scalar), number(u), length=32) == secret
    assert device.registers.sent == [X25519.encode(*numbers)]


def test_of_a_digest_the_first_octets_count(library):
    digest = hashlib.sha512(b"").digest()
    answers = [1, 0]
    device = opened(library, ECDSA, lambda words: [answers.pop(0)])

    def verify(digest, r=5):
        return device.call("ecdsa_verify", number(digest), *map(number, (r, 6, 7, 8)))

    assert verify(digest) == "OK"
    assert verify(b"\1") == "INVALID"
    assert device.registers.sent == [ECDSA.encode(int.from_bytes(z, "big"), 5, 6, 7, 8)
                                     for z in (digest[:32], b"\1")]
    assert verify(digest, 2**256) == "INVALID"  # which is no command
    assert len(device.registers.sent) == 2


def test_octets_are_hashed_as_words(library):
    message = b"octets that are hashed"
    operands = int.from_bytes(message, "big"), len(message)
    device = opened(library, SHA1, lambda words: expected_words(SHA1, *operands))
    assert device.words("run_words", [*message, 256], 20) == list(hashlib.sha1(message).digest())
    assert device.registers.sent == [SHA1.encode(*operands)]
    assert device.run(number(message), lengths=[20]) == "WRONG_CORE"


# -- RSA.


def rsa_device(library, key, params, **state):
    """Return a device whose core has the power by the key's exponent, and inputs of the key."""
    def answer(words):
        message = from_words(words, params.word_width)
        return results_of(params).encode({"result": pow(message, key.d, key.public_numbers.n)})

    return opened(library, params, answer), (key.dmp1, key.dmq1, key.p, key.q)


def padded(key, digest=b"\x5a" * 51):
    size = -(-key.public_numbers.n.bit_length() // 8)
    return b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest


@pytest.mark.parametrize(("bits", "e", "form", "params"), [
    (1024, 3, "PKCS8", RSA), (1024, 65537, "TraditionalOpenSSL", RSA_RNS),
    (2048, 65537, "PKCS8", RSA_RNS), (2050, 65537, "TraditionalOpenSSL", RSA),
    (2048, 3, "PKCS8", RSA)], ids=str)
@pytest.mark.parametrize("blinds", [False, True])
def test_keys_of_files_sign(library, tmp_path, bits, e, form, params, blinds):
    path, rng = tmp_path / "key.pem", random.Random(SEED)
    path.write_bytes(rsa.generate_private_key(e, bits).private_bytes(
        serialization.Encoding.PEM, getattr(serialization.PrivateFormat, form),
        serialization.NoEncryption()))
    key, drawn = load_key(path, SIGNING).private_numbers(), []
    if (key.p < key.q) != (form == "PKCS8"):  # both orders
        key = rsa.RSAPrivateNumbers(key.q, key.p, key.d, key.dmq1, key.dmp1,
                                    pow(key.p, -1, key.q), key.public_numbers)
    device, inputs = rsa_device(library, key, params)
    device.mont.public_exponent = e

    def draw(count):
        drawn.append(rng.randbytes(count))
        return drawn[-1]

    if blinds:
        device.randomly(draw)
    assert device.load(*map(number, inputs), number(None)) == "OK"
    of_p, of_q, p, q = inputs
    k = [int.from_bytes(each, "little") for each in drawn] or [0, 0]
    assert device.registers.sent[-1] == params.encode_key(
        of_p + k[0] * (p - 1), of_q + k[1] * (q - 1), p, q,
        exponent_bits=max(p, q).bit_length() + 64 * blinds)
    message, modulus = padded(key), p * q
    number_of = int.from_bytes(message, "big")
    expected = pow(number_of, key.d, modulus).to_bytes(len(message), "big")
    for _ in range(2):
        assert device.do("sign", number(message), length=len(message)) == expected
        r = int.from_bytes(drawn[-1], "little") if blinds else 1
        assert device.registers.sent[-1] == params.encode(number_of * pow(r, e, modulus) % modulus)
    assert len(set(drawn)) == len(drawn) == (4 if blinds else 0)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.parametrize("form", [[], ["-traditional"]])
def test_a_key_of_three_primes_is_refused(form, tmp_path):
    path = tmp_path / "key.pem"
    subprocess.run(["openssl", "genrsa", *form, "-primes", "3", "-out", path, "1024"], check=True,
                   capture_output=True)
    with pytest.raises(ValueError, match="of a kind that is not supported; give another one"):
        load_key(path, SIGNING)


def test_exponents_are_blinded_by_the_order_that_is_told(library):
    p = next(n for n in range(2**511 + 1, 2**512, 2) if pow(2, n - 1, n) == 1)
    k = bytes(range(1, 9))
    for params, name, key, loaded in (
            (EXPONENTIATOR, "modexp", (5, p), ("exponent", "modulus")),
            (SINGLE, "sign", (5, 0, 2**127 - 1, 1), ("exponent_p", "p"))):
        modulus = key[1] if len(key) == 2 else key[2]
        device = opened(library, params, lambda words, m=modulus, params=params: results_of(
            params).encode({"result": pow(from_words(words, params.word_width), 5, m)}))
        device.randomly(lambda count: k[:count])
        for order in (None, modulus - 1):
            device.mont.order = kept = number(order)
            assert device.load(*map(number, key), number(None)) == "OK", loaded
            more = int.from_bytes(k, "little") * (order or 0)
            bits = modulus.bit_length() + (64 if order else 0)
            assert device.registers.sent[-1] == params.encode_key(
                key[0] + more, *key[1:], exponent_bits=bits)
        assert device.do(name, number(3), length=64) == pow(3, 5, modulus).to_bytes(64, "big")
        assert kept.length


def test_a_wrong_signature_is_refused(library):
    key = rsa.generate_private_key(65537, 1024).private_numbers()
    device, inputs = rsa_device(library, key, RSA)
    assert device.load(*map(number, inputs), number(None)) == "OK"
    right = device.registers.answer
    device.registers.answer = lambda words: [words[0] ^ 1, *right(words)[1:]]
    assert len(device.do("sign", number(padded(key)), length=128)) == 128
    device.mont.public_exponent = 65537
    assert device.do("sign", number(padded(key)), length=128) == "REFUSED"
    device.randomly(random.Random(SEED).randbytes)
    assert device.do("sign", number(padded(key)), length=128) == "REFUSED"


def test_words_of_a_key_need_the_modulus_for_checks(library):
    key = rsa.generate_private_key(65537, 1024).private_numbers()
    device, inputs = rsa_device(library, key, RSA)
    words = RSA.encode_key(*inputs)
    assert device.words("load_words", words) == "OK"
    assert device.registers.sent == [words]
    device.mont.public_exponent = 65537
    assert device.do("sign", number(padded(key)), length=128) == "NO_KEY"
    device.mont.modulus = modulus = number(key.public_numbers.n)
    assert device.words("load_words", words) == "OK"
    assert len(device.do("sign", number(padded(key)), length=modulus.length)) == 128
    assert device.words("load_words", words[1:]) == "WORDS"


# -- What goes wrong.


@pytest.mark.parametrize(("params", "call", "inputs"), [
    (BY_WORDS, "load", [8]), (BY_WORDS, "load", [1]), (BY_WORDS, "load", [2**64 + 1]),
    (BY_WORDS, "load", [None]), (EXPONENTIATOR, "load", [3, 2**512 + 1, None]),
    (EXPONENTIATOR, "load", [3, 15, 1]), (EXPONENTIATOR, "load", [3, 15, 2**40]),
    (EXPONENTIATOR, "load", [2**577, 15, None]), (EXPONENTIATOR, "load", [3, 15, 577]),
    (EXPONENTIATOR, "load", [3, 0, None]), (SINGLE, "load", [3, 3, 2**256 + 1, 5, None]),
    (SINGLE, "load", [3, 3, 15, 4, None]), (RSA, "load", [5, 3, 11, 7, None]),
    (X25519, "run", [2**256, 9]), (X25519, "run", [None, 9]),
    (RSA, "load", [2**9000] * 5),
], ids=str)
def test_numbers_that_no_core_takes_are_not_sent(library, params, call, inputs):
    device = opened(library, params)
    inputs = [number(each, order="little") if params is X25519 else number(each)
              for each in inputs]
    error = device.load(*inputs) if call == "load" else device.run(*inputs, lengths=[32])
    assert error == "RANGE"
    assert not device.registers.sent


def test_a_base_is_below_the_modulus_and_a_result_fits(library):
    device = opened(library, EXPONENTIATOR, lambda words: results_of(EXPONENTIATOR).encode(
        {"result": 2**16}))
    assert device.do("modexp", number(5), length=64) == "NO_KEY"
    assert device.load(number(3), number(2**17 - 1), number(None)) == "OK"
    assert device.do("modexp", number(2**17 - 1), length=64) == "RANGE"
    assert device.do("modexp", number(2), length=2) == "RANGE"
    assert device.do("modexp", number(2), length=3) == b"\1\0\0"
    assert device.do("mul", number(2), number(2), length=3) == "WRONG_CORE"
    assert device.do("x25519", number(2), number(2), length=3) == "WRONG_CORE"


def test_another_core_is_not_opened(library):
    params, index = BY_WORDS, ALL.index(BY_WORDS)
    for offset, change, error in ((0, 1, "NO_CORE"), (4, 1 << 16, "WRONG_CORE"),
                                  (4, 1 << 8, "OK"), (8, 0xE00, "OK"), (8, 1, "WRONG_CORE"),
                                  (12, 1, "WRONG_CORE"), (16, 1, "WRONG_CORE"),
                                  (20, 1, "WRONG_CORE"), (24, 1 << 16, "WRONG_CORE"),
                                  (40, 1, "WRONG_CORE")):
        registers = Registers(params, never)
        registers.memory[offset] ^= change
        assert Device(library, index, registers).opened == error


def test_errors_of_the_core_have_names_and_commands_end(library):
    device = opened(library, X25519, lambda words: expected_words(X25519, 1, 9))
    registers, inputs = device.registers, (number(1), number(9))
    for bits, error in ((0x100, "BUSY"), (0x200, "NO_KEY"), (0x400, "WORDS"), (4, "REFUSED")):
        registers.forced = bits
        assert device.do("x25519", *inputs, length=32) == error
    registers.forced, registers.delay, device.mont.polls = 0, 10**9, 50
    assert device.do("x25519", *inputs, length=32) == "TIMEOUT"
    assert device.do("x25519", *inputs, length=32) == "BUSY"
    assert device.call("clear") == "OK"
    registers.delay = 2
    assert len(device.do("x25519", *inputs, length=32)) == 32
    registers.memory[0x1C] = 1234
    assert device.library.mont_cycles(device.here) == 1234
    assert not any(control & 8 for control in registers.controls)


def test_an_interrupt_is_waited_for_and_aborted(library):
    device = opened(library, X25519, lambda words: expected_words(X25519, 1, 9))
    inputs, ends = (number(1), number(9)), ["OK"]
    device.waiting(lambda: ends[0])
    device.registers.delay = 0
    assert len(device.do("x25519", *inputs, length=32)) == 32
    assert device.registers.controls[-1] & 9 == 9
    ends[0] = "TIMEOUT"
    assert device.do("x25519", *inputs, length=32) == "TIMEOUT"

    def abort():
        device.library.mont_abort(device.here)
        return "OK"

    device.waiting(abort)
    assert device.do("x25519", *inputs, length=32) == "ABORTED"
    assert device.registers.controls[-1] == 4


def test_nothing_secret_is_left_in_memory(library):
    key = rsa.generate_private_key(65537, 1024).private_numbers()
    device, inputs = rsa_device(library, key, RSA)
    modulus = key.public_numbers.n
    device.mont.public_exponent = 65537
    device.randomly(random.Random(SEED).randbytes)
    assert device.load(*map(number, inputs), number(None)) == "OK"
    for _ in range(2):
        left = [word for word in device.memory if word]
        assert left == [32, *(modulus >> 32 * index & 0xFFFFFFFF for index in range(32))]
        assert len(device.do("sign", number(padded(key)), length=128)) == 128
    assert device.call("close") == "OK"
    assert not any(device.memory)
    assert device.registers.controls[-1] == 4


def test_it_compiles_for_a_small_processor(tmp_path):
    compiler = shutil.which("riscv64-unknown-elf-gcc")
    if compiler is None:
        pytest.skip("riscv64-unknown-elf-gcc is not installed")
    for name, text in driver.files(RSA, RegisterMap(RSA), "core").items():
        (tmp_path / name).write_text(text)
    (tmp_path / "main.c").write_text('#include "core.h"\n'
                                     "const struct mont_core *const core = &core_core;\n")
    subprocess.run([compiler, *WARNINGS, "-march=rv32im", "-mabi=ilp32", "-ffreestanding", "-Os",
                    "-c", "montgomery.c", "main.c"], cwd=tmp_path, check=True)
    undefined = subprocess.run([compiler.replace("gcc", "nm"), "-u", "montgomery.o"], cwd=tmp_path,
                               check=True, capture_output=True, text=True).stdout
    assert set(undefined.split()) - {"U"} <= {"memset", "memcpy", "__udivdi3"}
    sizes = subprocess.run([compiler.replace("gcc", "size"), "montgomery.o", "main.o"],
                           cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    print(sizes)
    code, *_ = sizes.splitlines()[1].split()
    assert int(code) < 12_000
