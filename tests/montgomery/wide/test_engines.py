"""The programs of engines for curves with fixed primes."""

import pytest
from cases import named, variants

from montgomery import KINDS
from montgomery.core import input_names
from montgomery.points.microcode import Index
from montgomery.wide import scalar_multiplication
from montgomery.wide.units.scalar_halves import ScalarHalves


def _engines(*kinds):
    """Return each engine of some kinds: each curve, and each choice of what is done in a clock."""
    return named(params for kind in kinds
                 for params in variants(KINDS[kind].cores()["wide"], 255, 256, 384, 448))


MULTIPLES = _engines("scalar_multiplication", "base_multiplication")


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
    params = scalar_multiplication.Parameters(width=256, curve="secp256k1")
    params.create()
    monkeypatch.setattr(ScalarHalves, "DIVIDED", 1 << 12)
    with pytest.raises(ValueError, match="before it is divided"):
        params.create()
