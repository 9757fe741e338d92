"""A simulation that finds every way in which a core can be wrong."""

import dataclasses
import json
import random

import pytest
from amaranth.hdl import Signal
from toy import Toy
from toy_broken import Around
from toy_key import Keyed
from toy_points import Points, Swapped

from explore.simulation import (
    Mismatch,
    expected_results,
    random_vectors,
    simulate,
    stimulus,
    verify,
    verify_exponentiation,
)
from montgomery.core import Traits, traits

FEW = {"vectors": 2}


def _waited(m, ports):
    """Return a signal that is high in the clock after one in which an output word was not taken."""
    waited = Signal()
    m.d.sync += waited.eq(ports.o.valid & ~ports.o.ready)
    return waited


def _count(m, event, most):
    count = Signal(range(most + 1))
    with m.If(event & (count != most)):
        m.d.sync += count.eq(count + 1)
    return count


def _remember(m, ports):
    """Return a signal that is high after a reset."""
    begun = Signal(reset_less=True)
    first = Signal(init=1)
    with m.If(first & ports.i.ready):
        m.d.sync += [first.eq(0), begun.eq(1)]
    again = Signal()
    m.d.sync += again.eq(again | (first & begun))
    return again


def _only(core, ports, when):
    """Let words of results pass in some clocks only."""
    return [ports.o.valid.eq(core.o.valid & when), core.o.ready.eq(ports.o.ready & when)]


def _behind(m, core, when):
    """Return a signal that holds the first word of a result back for a clock."""
    held = Signal()
    m.d.sync += held.eq(core.o.valid)
    return ~(core.o.valid & ~held & when)


def _after(m, core):
    after = Signal()
    m.d.sync += after.eq(core.o.valid & core.o.ready)
    return after


#: What a faulty core does: from its module, the core inside and its ports to assignments.
FAULTS = {
    "flips a bit": lambda m, core, ports: ports.o.payload.eq(core.o.payload ^ 1),
    "flips a late bit": lambda m, core, ports: ports.o.payload.eq(
        core.o.payload ^ (_count(m, core.o.valid & core.o.ready, 3) == 3)),
    "is wrong after a reset": lambda m, core, ports: ports.o.payload.eq(
        core.o.payload ^ _remember(m, ports)),
    "withdraws": lambda m, core, ports: _only(core, ports, ~_waited(m, ports)),
    "changes": lambda m, core, ports: ports.o.payload.eq(core.o.payload ^ _waited(m, ports)),
    "loses": lambda m, core, ports: core.o.ready.eq(core.o.valid),
    "takes nothing": lambda m, core, ports: [ports.i.ready.eq(0), core.i.valid.eq(0)],
    "gives nothing": lambda m, core, ports: [ports.o.valid.eq(0), core.o.ready.eq(0)],
    "waits for the receiver": lambda m, core, ports: ports.o.valid.eq(
        core.o.valid & ports.o.ready),
    "stops after two": lambda m, core, ports: _only(
        core, ports, _count(m, ports.o.valid & ports.o.ready, 2) != 2),
    "is late": lambda m, core, ports: _only(core, ports, _behind(m, core, 1)),
    "is late for odd results": lambda m, core, ports: _only(
        core, ports, _behind(m, core, core.o.payload[0])),
    "says more": lambda m, core, ports: ports.o.valid.eq(core.o.valid | _after(m, core)),
    "does nothing wrong": lambda m, core, ports: []}
#: What is said of each.
SAID = {"flips a bit": "expected ", "flips a late bit": "expected ",
        "is wrong after a reset": "expected ",
        **dict.fromkeys(("withdraws", "changes", "loses"), "withdrew or changed"),
        **dict.fromkeys(("takes nothing", "gives nothing", "waits for the receiver",
                         "stops after two", "says more"), "no word went in or out"),
        **dict.fromkeys(("is late", "is late for odd results"), "but the formula says")}


def _broken(fault, **longer):
    """Return parameters of a toy with ``fault``, whose formula has the clocks ``longer``."""
    def wrong(m, core, ports):
        m.d.comb += FAULTS[fault](m, core, ports)

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Broken(Toy):
        @property
        def cycles(self):
            cycles = super().cycles
            return dataclasses.replace(cycles, **{
                name: getattr(cycles, name) + clocks for name, clocks in longer.items()})

        def create(self):
            return Around(super().create(), self.word_width, wrong)

    return Broken(width=8)


@pytest.mark.parametrize(("fault", "message"), SAID.items())
def test_verify_finds_a_fault(fault, message):
    report = verify(_broken(fault), **FEW)
    assert report.ok is False
    assert message in report.message
    assert "\n" not in report.message


@pytest.mark.parametrize("name", ["load", "compute", "unload", "interval"])
@pytest.mark.parametrize("clocks", [-1, 1])
def test_verify_finds_a_wrong_formula(name, clocks):
    report = verify(_broken("does nothing wrong", **{name: clocks}), **FEW)
    assert report.ok is False
    assert "but the formula says" in report.message
    assert report.cycles == dataclasses.asdict(Toy(width=8).cycles)


def test_verify_finds_a_wrong_rate():
    params = _broken("does nothing wrong")
    right = traits(params).initiation
    for wrong in (1, right - 1, right + 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(params), "_traits", Traits(initiation=wrong))
            report = verify(params, **FEW)
        assert report.ok is False
        assert report.message == (f"Measured {right} clocks between independent results, but "
                                     f"the formula says {wrong}")


def test_a_core_that_takes_longer_for_some_operands_is_told_apart():
    report = verify(_broken("is late for odd results", compute=1, interval=1), **FEW)
    assert report.constant_time is False
    assert report.ok is True


def test_report():
    params = Toy(width=10, style="fancy")
    seen = []
    report = verify(params, vectors=3, seed=5,
                    progress=lambda *counts: seen.append(counts)).to_json()
    assert report.pop("cycles_per_second") > 0
    # In turn, back to back, and, by this simulator, a few with stalls, and with a receiver that
    # waits for a word; one, and three, before one word, and before five, of another operation.
    total = 18 + 18 + 4 + 4 + 2 * (1 + 3)
    assert report == {
        "ok": True, "arch": "toy", "kind": "multiplier", "width": 10,
        "params": {"width": 10, "word_width": 8, "ballast": 0, "style": "fancy"},
        "vectors": total, "seed": 5, "engine": "amaranth",
        "cycles": {name: count for name, count in dataclasses.asdict(params.cycles).items()
                   if name != "load_key"} | {"initiation": traits(params).initiation},
        "constant_time": True,
    }
    assert json.loads(json.dumps(report)) == report
    assert seen == [(done, total) for done in range(1, total + 1)]


@pytest.mark.parametrize("fault", ["does nothing wrong", "withdraws"])
def test_a_seed_repeats_a_run(fault):
    first, second = (verify(_broken(fault), seed=3, **FEW).to_json() for _ in range(2))
    for report in (first, second):
        del report["cycles_per_second"]
    assert first == second


def test_stalls_change_with_the_seed_but_not_the_products():
    params = Toy(width=8)
    vectors = random_vectors(params, 4, 0)
    runs = [simulate(params, vectors, seed=seed, i_gap=0.5, o_gap=0.5) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0].clocks != runs[2].clocks
    assert [params.compute(*vector) for vector in vectors] == runs[0].products == runs[2].products


def test_simulate_measures_every_multiplication():
    params = Toy(width=8)
    result = simulate(params, random_vectors(params, 3, 0), chained=True)
    first, *others = result.cycles
    assert first == dataclasses.replace(params.cycles, interval=0)
    assert others == [params.cycles] * 2


def test_a_result_that_a_core_refuses_is_a_mismatch():
    class Refusing(Toy):
        def decode(self, words):
            if super().decode(words) == super().compute(3, 5, 7):
                raise ValueError("The check failed; repeat the operation")
            return super().decode(words)

    with pytest.raises(Mismatch, match="check failed; repeat") as caught:
        simulate(Refusing(width=6), [(0, 5, 7), (3, 5, 7)])
    assert caught.value.index == 1


def test_a_word_too_many_after_the_last_result():
    with pytest.raises(Mismatch, match="a word too many"):
        simulate(_broken("says more"), random_vectors(Toy(width=8), 1, 0))


def test_operands_out_of_range_are_not_sent():
    rng = random.Random(0)
    modulus = rng.getrandbits(8) | 129
    with pytest.raises(ValueError, match="Operand x must be from 0 to"):
        simulate(Toy(width=8), [(modulus, 0, modulus)])


@pytest.mark.parametrize(("result", "message"), [
    (lambda product, modulus: product + 1, "= 0x1, but x * y / R mod modulus = 0x0"),
    (lambda product, modulus: product + modulus, "= 0x3, but results must be below bound(modulus) "
     "= 0x3"),
    (lambda product, modulus: product - modulus, "= -0x3, but results must be below"),
    (lambda product, modulus: None, "= None, but results must be integers"),
])
def test_a_wrong_model_is_told_from_wrong_hardware(result, message):
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Mistaken(Toy):
        def compute(self, x, y, modulus):
            return result(super().compute(x, y, modulus), modulus)

    for how in (verify, verify_exponentiation):
        report = how(Mistaken(width=8))
        assert not report.ok
        assert report.message.startswith(
            f"The model is wrong: compute(x=0x0, y=0x0, modulus=0x3) {message}")
        assert (report.operation, report.alone) == ((0, 0, 3), True)


def test_a_model_may_return_any_number_below_the_bound():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Unreduced(Toy):
        def bound(self, modulus):
            return 2 * modulus

        def compute(self, x, y, modulus):
            return super().compute(x % modulus, y % modulus, modulus) + modulus

    vectors = [(5, 7, 3), (0, 0, 255)]
    assert expected_results(Unreduced(width=8), vectors) == {(5, 7, 3): 5, (0, 0, 255): 255}


@pytest.mark.parametrize(("fault", "says"), [
    ("touches", "expected"), ("keeps", "expected"), ("first", "expected"),
    ("beside", "but the formula says"), ("looks", "expected")])
def test_a_wrong_use_of_keys_and_kept_results_is_found(fault, says):
    report = verify(Keyed(width=13, word_width=8, fault=fault))
    assert not report.ok
    assert says in report.message


@pytest.mark.parametrize("params", [
    Keyed(width=13, word_width=8), Keyed(width=70, word_width=35)], ids=str)
def test_a_key_is_sent_where_it_changes_and_operands_are_not_sent_where_they_are_results(params):
    operations = [(1, 2, 7), (3, 4, 7), (0, 1, 9), (5, 6, 7)]
    sent = stimulus(params, operations)
    assert list(map(bool, sent.keys)) == [True, False, True, True]
    assert sent.keys[0] == sent.keys[3] == params.encode_key(7)
    vectors = [(1, 2, 7), (5, 5, 7), (5, 1, 7), (2, 5, 7)]
    words = stimulus(params, vectors, kept=[5, 5, 5, 5]).words
    assert [len(each) for each in words] == [params.words, 1, params.words, params.words]
    assert words[0] == params.encode(1, 2)
    assert words[2] == params.encode(None, 1, 7)


@pytest.mark.parametrize("word_width", [1, 2, 3, 4])
def test_a_core_for_scalar_multiplication_is_verified(word_width):
    params = Points(word_width=word_width)
    report = verify(params)
    assert report.ok, report.message
    assert report.constant_time is True
    assert report.cycles == {"load": params.i_words, "compute": 3, "unload": params.result_words,
                             "interval": params.cycles.interval}


def test_a_wrong_model_of_one_is_found():
    report = verify(Swapped())
    assert report.message == ("The model is wrong: compute(scalar=0x1, x=0x2, y=0x7) = 0x42, but "
                              "scalar * (x, y) = 0x72")
