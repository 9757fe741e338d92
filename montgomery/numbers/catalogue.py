"""The primes and the curves that there are, each number stated once, and their names.

A new curve of a form of :mod:`~.curves` is an entry of :data:`CURVES`, and nothing else.
"""

import re
from collections.abc import Mapping
from typing import TypeVar

from .curves import Curve, EdwardsCurve, MontgomeryCurve, WeierstrassCurve

__all__ = ["CURVES", "EDWARDS", "MONTGOMERY", "WEIERSTRASS", "called", "curve_of", "of_prime"]

_Form = TypeVar("_Form", bound=Curve)
_P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
_P384 = 2**384 - 2**128 - 2**96 + 2**32 - 1
_P521 = 2**521 - 1
_P25519 = 2**255 - 19
#: Points of Curve25519 and Ed25519, which are one curve in two forms.
_N25519 = 2**252 + 0x14DEF9DEA2F79CD65812631A5CF5D3ED


def _hex(digits):
    return int(digits, 16)


#: From name to :class:`~.curves.Curve`, of whatever form.
CURVES: dict[str, Curve] = {curve.name: curve for curve in (
    # FIPS 186-4, D.1.2.3.
    WeierstrassCurve(
        name="P-256", aliases=("prime256v1", "secp256r1", "NIST P-256", "nistp256"),
        p=_P256, a=_P256 - 3,
        b=0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
        n=0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
        gx=0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        gy=0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5),
    # FIPS 186-4, D.1.2.4 and D.1.2.5.
    WeierstrassCurve(
        name="P-384", aliases=("secp384r1", "ansip384r1", "NIST P-384", "nistp384"),
        p=_P384, a=_P384 - 3,
        b=_hex("B3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875A"
               "C656398D8A2ED19D2A85C8EDD3EC2AEF"),
        n=_hex("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF"
               "581A0DB248B0A77AECEC196ACCC52973"),
        gx=_hex("AA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A38"
                  "5502F25DBF55296C3A545E3872760AB7"),
        gy=_hex("3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C0"
                  "0A60B1CE1D7E819D7A431D7C90EA0E5F")),
    WeierstrassCurve(
        name="P-521", aliases=("secp521r1", "ansip521r1", "NIST P-521", "nistp521"),
        p=_P521, a=_P521 - 3,
        b=_hex("0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF1"
               "09E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B50"
               "3F00"),
        n=_hex("1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"
               "FFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386"
               "409"),
        gx=_hex("00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D"
                  "3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5"
                  "BD66"),
        gy=_hex("011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E"
                  "662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD1"
                  "6650")),
    # SEC 2, 2.4.1.
    WeierstrassCurve(
        name="secp256k1", aliases=("K-256", "P-256K", "ansip256k1"),
        p=2**256 - 2**32 - 977, a=0, b=7,
        n=0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
        gx=0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
        gy=0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8),
    # RFC 5639, 3.4.
    WeierstrassCurve(
        name="brainpoolP256r1", aliases=("BP-256", "brainpool256r1"),
        p=0xA9FB57DBA1EEA9BC3E660A909D838D726E3BF623D52620282013481D1F6E5377,
        a=0x7D5A0975FC2C3057EEF67530417AFFE7FB8055C126DC5C6CE94A4B44F330B5D9,
        b=0x26DC5C6CE94A4B44F330B5D9BBD77CBF958416295CF7E1CE6BCCDC18FF8C07B6,
        n=0xA9FB57DBA1EEA9BC3E660A909D838D718C397AA3B561A6F7901E0E82974856A7,
        gx=0x8BD2AEB9CB7E57CB2C4B482FFC81B7AFB9DE27E1E3BD23C23A4453BD9ACE3262,
        gy=0x547EF835C3DAC4FD97F8461A14611DC9C27745132DED8E545C1D54C72F046997),
    # For experiments: few bits, and nothing secret.
    WeierstrassCurve(
        name="toy-16", p=64951, a=64948, b=111, n=65129, gx=3, gy=12786),
    # RFC 7748, 4.1.
    MontgomeryCurve(
        name="Curve25519", aliases=("X25519",),
        p=_P25519, a=486662,
        n=_N25519, cofactor_bits=3, u=9),
    # RFC 7748, 4.2.
    MontgomeryCurve(
        name="Curve448", aliases=("X448", "Goldilocks"),
        p=2**448 - 2**224 - 1, a=156326,
        n=2**446 - 0x8335DC163BB124B65129C96FDE933D8D723A70AADC873D6D54A7BB0D,
        cofactor_bits=2, u=5),
    # For experiments: few bits, and nothing secret. The twist has four times a prime of points.
    MontgomeryCurve(
        name="toy-15", p=32749, a=362, n=4129, cofactor_bits=3, u=3),
    # RFC 8032, 5.1.
    EdwardsCurve(
        name="Ed25519", aliases=("edwards25519",),
        p=_P25519,
        d=0x52036CEE2B6FFE738CC740797779E89800700A4D4141D8AB75EB4DCA135978A3,
        n=_N25519,
        gx=0x216936D3CD6E53FEC0A4E231FDD6DC5C692CC7609525A7B2C9562D608F25D51A,
        gy=0x6666666666666666666666666666666666666666666666666666666666666658),
)}


def _of_form(form: type[_Form]) -> dict[str, _Form]:
    return {name: curve for name, curve in CURVES.items() if isinstance(curve, form)}


#: The curves of each form.
WEIERSTRASS, MONTGOMERY, EDWARDS = map(_of_form, (WeierstrassCurve, MontgomeryCurve, EdwardsCurve))


def curve_of(name: str, width: int, curves: Mapping[str, _Form]) -> _Form:
    """Return the curve of a name; where that is empty, the first one of a width, or of all."""
    fitting = (curve for curve in curves.values() if curve.width == width)
    return curves[name] if name else next(fitting, next(iter(curves.values())))


def _plain(name):
    return re.sub(r"[\W_]", "", name.casefold())


_NAMES = {_plain(each): curve.name for curve in CURVES.values()
          for each in (curve.name, *curve.aliases)}


def called(name: str) -> str:
    """Return what a curve is called here; another name than those of curves stays as it is.

    Case and punctuation make no difference.
    """
    return _NAMES.get(_plain(name), name)


def of_prime(prime: int) -> str:
    """Return the name of the first curve over a prime; empty if there is none."""
    return next((name for name, curve in CURVES.items() if curve.p == prime), "")
