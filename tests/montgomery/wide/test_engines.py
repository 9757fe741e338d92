"""Engines for curves with fixed primes: their models, their programs, and two operations in flight.

The models of verifiers and of key agreement have their tests among those of their kinds.
"""

import itertools
import random

import pytest

from explore.simulation import verify
from montgomery import KINDS
from montgomery.core import input_names, traits
from montgomery.points.microcode import Index
from montgomery.wide import ecdsa_verification, key_agreement, scalar_multiplication
from montgomery.wide.units.scalar_halves import ScalarHalves

SEED = 1985
KOBLITZ = {"width": 256, "curve": "secp256k1"}
OF_POINT = KINDS["scalar_multiplication"].cores()["wide"]
OF_BASE = KINDS["base_multiplication"].cores()["wide"]


def _engines(*kinds):
    """Return each engine of some kinds: each curve, and each choice of what is done in a clock."""
    for kind in kinds:
        cls = KINDS[kind].cores()["wide"]
        lists = {name: field.metadata["choices"] for name, field in
                 cls.__dataclass_fields__.items() if field.metadata.get("choices")}
        for values in itertools.product(*lists.values()):
            given = dict(zip(lists, values, strict=True))
            for width in (255, 256, 384):
                try:
                    yield pytest.param(cls(width=width, **given), id="-".join(
                        map(str, [kind, *values])))
                except ValueError:
                    continue


def _scalars(curve, count=3):
    print("seed", SEED)
    rng, bits = random.Random(SEED), -(-curve.width // 16) * 16
    edges = (0, 1, 2, 5, 16, 31, curve.n - 1, curve.n, curve.n + 1, (1 << bits) - 1, 1 << bits - 1,
             0x5555 << bits - 18, 1 << 128, (1 << 128) - 1)
    return [*edges, *(rng.getrandbits(bits) for _ in range(count))]


MULTIPLES = list(_engines("scalar_multiplication", "base_multiplication"))


@pytest.mark.parametrize("params", MULTIPLES)
def test_models_multiply_points(params):
    curve, any_point = params.domain, "x" in input_names(params)
    points = (curve.base, curve.multiply(7, curve.base)) if any_point else (curve.base,)
    for scalar, point in zip(_scalars(curve), itertools.cycle(points)):
        product = curve.multiply(scalar, point)
        assert params.compute(scalar, *(point if any_point else ())) == (
            product[0] | product[1] << 16 * params.field_words if product else 0), scalar


@pytest.mark.parametrize("params", [
    *MULTIPLES, *_engines("key_agreement", "ecdsa_verification", "eddsa_verification")])
def test_multiples_are_stored_before_digits_may_choose_them(params):
    """In the first window of a signature on P-256 or Ed25519 the highest digit, which is there
    while the last multiple is stored, is 2 at most.
    """
    microcode = params._program(getattr(params, "in_flight", 1)).microcode
    exempt = "first" if "r" in input_names(params) and params.curve in ("P-256", "Ed25519") else ""
    for name, start in microcode.starts.items():
        words = microcode.words[start:start + microcode.clocks[name]]
        stores = [clock for clock, word in enumerate(words) if word.get("store")]
        chosen = [clock for clock, word in enumerate(words) if not word.get("store")
                  and word.get("index") in (Index.DIGIT, Index.SECOND)]
        assert name == exempt or max(stores, default=0) <= min(chosen, default=len(words)), name


@pytest.mark.parametrize("params", [core for core in MULTIPLES
                                    if core.values[0].curve == "Ed25519"])
def test_tables_of_a_comb_are_halves(params):
    names = [segment.name for segment, _, _ in params._program(1).walk()]
    assert names.count("upper") == names.count("lower") == 16


def test_scalars_are_divided_before_digits_are_needed(monkeypatch):
    params = OF_POINT(**KOBLITZ)
    params.create()
    monkeypatch.setattr(ScalarHalves, "DIVIDED", 1 << 12)
    with pytest.raises(ValueError, match="before it is divided"):
        params.create()


@pytest.mark.parametrize(("cls", "given", "message"), [
    (OF_BASE, {"width": 256, "curve": "P-384"}, "Width must be 384 for P-384, not 256"),
    (OF_BASE, {"width": 384, "curve": "secp256k1"}, "Width must be 256 for secp256k1, not 384"),
    (OF_BASE, {"width": 384, "curve": "Ed25519"}, "Width must be 256 for Ed25519, not 384"),
    (OF_BASE, {"width": 384, "curve": "P-384", "digits_per_clock": 4}, "Digits per clock must be"),
    (OF_BASE, {"width": 256, "in_flight": 2, "digits_per_clock": 4}, "in_flight"),
    (OF_POINT, {"width": 384, "curve": "P-384", "in_flight": 2}, "in_flight must be 1 for P-384"),
    *((kind.Parameters, {"width": 256, "in_flight": 2}, "in_flight must be 1 .*digits_per_clock=4")
      for kind in (ecdsa_verification, scalar_multiplication))])
def test_what_an_engine_does_not_have_is_refused(cls, given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        cls(**given)


@pytest.mark.parametrize(("kind", "width", "per_clock", "share"), [
    (key_agreement, 255, 2, 0.87), (key_agreement, 255, 4, 0.69),
    (scalar_multiplication, 256, 4, 0.76)])
def test_two_operations_share_a_multiplier(kind, width, per_clock, share):
    one, two = (kind.Parameters(width=width, digits_per_clock=per_clock, in_flight=count)
                for count in (1, 2))
    assert traits(one).initiation == one.cycles.interval
    assert traits(two).initiation < share * one.cycles.interval


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "width"), [
    (ecdsa_verification, 256), (key_agreement, 255), (scalar_multiplication, 256)])
def test_two_operations_at_a_time(kind, width, compiled):
    """Stalls, resets, and operations that come while another one is under way, or long after it."""
    params = kind.Parameters(width=width, digits_per_clock=4, in_flight=2)
    report = verify(params, vectors=2, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time
