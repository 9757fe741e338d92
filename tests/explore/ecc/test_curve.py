import random

import pytest

from explore.ecc.curve import METHODS, P256, TYPICAL, count, multiply
from montgomery import architectures
from montgomery.arithmetic import montgomery_product

#: RFC 6979, A.2.5: the public key of TYPICAL.
PUBLIC = (0x60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6,
          0x7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299)
#: NIST's routines for prime curves: twice the base point.
TWICE = (0x7CF27B188D034F7E8A52380304B51AC3C08969E277F21B35A60B48FC47669978,
         0x07775510DB8ED040293D9AC69F7430DBBA7DADE63CE982299E04B79D227873D1)
by_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(autouse=True)
def registry():
    """The real one, in place of toys."""



class Definition:
    """The Montgomery product by its definition."""

    r = 1 << 256

    def compute(self, x, y, modulus):
        return montgomery_product(x, y, modulus, self.r)


def affine_multiple(scalar, point):
    """Return a multiple of ``point`` by the rule of chord and tangent, with division."""
    p, result = P256.p, None
    for bit in f"{scalar:b}":
        for other in [result, point][:1 + int(bit)]:
            if result is None or other is None:
                result = result or other
                continue
            (x1, y1), (x2, y2) = result, other
            slope = ((3 * x1 * x1 - 3) * pow(2 * y1, -1, p) if result == other else
                     (y2 - y1) * pow(x2 - x1, -1, p)) % p
            x3 = (slope * slope - x1 - x2) % p
            result = x3, (slope * (x1 - x3) - y1) % p
    return result


def test_the_base_point_is_on_the_curve():
    x, y = P256.g
    assert (y * y - x**3 + 3 * x - P256.b) % P256.p == 0


@by_method
def test_known_points(method):
    x, y = P256.g
    for scalar, point in ((0, None), (1, P256.g), (2, TWICE), (TYPICAL, PUBLIC),
                          (P256.n - 1, (x, P256.p - y))):
        assert multiply(Definition(), scalar, method=method)[0] == point


@by_method
def test_random_scalars_and_points(method):
    seed = 42
    rng = random.Random(seed)
    for bits in (*range(2, 12), 255, 256):
        scalar = rng.randrange(1 << (bits - 1), min(1 << bits, P256.n))
        point = affine_multiple(rng.randrange(1, P256.n), P256.g)
        assert multiply(Definition(), scalar, method=method, point=point)[0] == \
            affine_multiple(scalar, point), f"seed {seed}, scalar {scalar:#x}"


def test_on_the_model_of_the_multi_step_multiplier():
    assert multiply(architectures()["multi_step"](width=256), TYPICAL) == (PUBLIC, count(TYPICAL))


@pytest.mark.parametrize("name", architectures())
def test_on_the_model_of_each_architecture(name):
    assert multiply(architectures()[name](width=256), 2) == (TWICE, count(2))


def test_multiplications():
    ones = TYPICAL.bit_count()
    # Into the domain 2; the inversion, of p - 2 with 128 ones; 1 + 2 + 1 and out of the domain 2.
    around = 2 + 255 + (P256.p - 2).bit_count() - 1 + 6
    assert count(method="double-and-add") == 255 * 8 + (ones - 1) * 11 + around
    digits = [digit for digit in f"{TYPICAL:x}" if digit != "0"]
    # 13 mixed additions and a doubling fill the table.
    assert count(method="window") == 8 + 13 * 11 + 63 * 4 * 8 + (len(digits) - 1) * 16 + around


def test_refusals():
    with pytest.raises(ValueError, match=r"^Operand scalar must be from 0 to "):
        multiply(Definition(), P256.n)
    with pytest.raises(ValueError, match=r"^Unknown method 'windw'; did you mean 'window'"):
        multiply(Definition(), 1, method="windw")
    with pytest.raises(ValueError, match="choose width 256"):
        multiply(architectures()["mmm_cs_1d"](width=255), 1)
