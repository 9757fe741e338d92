"""Proofs of blocks and cores, and refutations of what is wrong."""

import json
from pathlib import Path

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from explore.netlist.formal import (
    Obligation,
    Verdict,
    block_obligations,
    claims,
    core_obligations,
    smallest,
)
from explore.netlist.formal.claim import Checked, Claim, keeps_handshake
from explore.pipeline.proving import Proofs
from montgomery import KINDS

RESULTS = Path(__file__).parents[3] / "results" / "proofs.jsonl"
#: What took longer to prove is left to the command, which wrote the results.
QUICK_S = 1.5


@pytest.fixture(autouse=True)
def registry():
    """Leave the real cores in place."""


def committed():
    return [json.loads(line) for line in RESULTS.read_text().splitlines()]


def cores():
    return {kind.full_name(name): cls for kind in KINDS.values()
            for name, cls in kind.cores().items()}


def key(name, claim, size):
    return name, claim, json.dumps(dict(size))


@pytest.fixture(scope="module")
def wanted():
    """Return all obligations, by what results call them."""
    found = [*block_obligations(), *(each for name, cls in cores().items()
                                     for each in core_obligations(name, smallest(cls)))]
    return {key(each.name, each.claim, each.size): each for each in found}


def quick():
    """Return what was proved quickly: of each block the first size, which is the smallest."""
    first = {(row["name"], row["claim"]): row for row in reversed(committed())}
    return [key(row["name"], row["claim"], row["size"]) for row in reversed(first.values())
            if row["verdict"] == "proved" and row["seconds"] <= QUICK_S]


def test_the_results_are_of_every_block_and_every_core(wanted):
    assert {key(row["name"], row["claim"], row["size"]) for row in committed()} == set(wanted)
    assert not [row for row in committed() if row["verdict"] in ("refuted", "undecided")]


@pytest.mark.thorough
@pytest.mark.parametrize("chosen", quick(), ids=lambda chosen: f"{chosen[0]}-{chosen[1]}")
def test_what_was_quickly_proved_still_is(prover, wanted, chosen):
    if chosen not in wanted:
        pytest.skip("the test above says so")
    assert prover.prove(wanted[chosen]).verdict == Verdict.PROVED


@pytest.mark.thorough
@pytest.mark.sample(3)
@pytest.mark.parametrize("name", sorted(cores(), key=len))
def test_proofs_of_each_core_can_be_tried(name, computed):
    *_, wanted = core_obligations(name, smallest(cores()[name]))
    proof = Proofs(computed, seconds=1, depth=1).prove(wanted)
    assert proof.verdict != Verdict.REFUTED
    assert proof.registers > 0


class Faulty(wiring.Component):
    """A block whose output has a wrong bit in every other clock."""

    def __init__(self, block):
        self.block = block
        super().__init__(dict(block.signature.members.items()))

    def __getattr__(self, name):
        block = self.__dict__["block"]
        if name in block.signature.members:
            raise AttributeError(name)
        return getattr(block, name)

    def elaborate(self, platform):
        m = Module()
        m.submodules.block = self.block
        odd = Signal()
        m.d.sync += odd.eq(~odd)
        outer = {path: value for path, _, value in self.signature.flatten(self)}
        leaves = list(self.block.signature.flatten(self.block))
        # Faults in other outputs need not break what is claimed.
        data = next(path for path, member, _ in leaves if member.flow is Out
                    and path[-1] in ("p", "word", "payload", "some", "data", "o", "q"))
        for path, member, value in leaves:
            if member.flow is In:
                m.d.comb += value.eq(outer[path])
            else:
                m.d.comb += outer[path].eq(value ^ (odd if path == data else 0))
        return m


@pytest.mark.thorough
@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim.name)
def test_a_block_with_a_fault_is_refuted(prover, claim):
    found = prover.prove(Obligation(
        name=claim.name, claim=claim.text, size={}, create=lambda relying: Checked(
            Faulty(claim.create(**claim.sizes[0])), claim.check)))
    assert found.verdict == Verdict.REFUTED
    assert found.counterexample.violated


class Holder(wiring.Component):
    """A register for one word, with a fault of choice."""

    def __init__(self, width=4, fault=""):
        self.width, self.fault = width, fault
        super().__init__({"i": In(stream.Signature(width)), "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.i.ready.eq(~self.o.valid | self.o.ready)
        waits = Signal(3)
        with m.If(self.i.ready):
            m.d.sync += [self.o.valid.eq(self.i.valid), self.o.payload.eq(self.i.payload),
                         waits.eq(0)]
        with m.Elif(waits != 5):
            m.d.sync += waits.eq(waits + 1)
        if self.fault == "valid":
            with m.If(waits == 5):
                m.d.sync += self.o.valid.eq(0)
        if self.fault == "payload":
            with m.If((waits == 5) & (self.i.payload == 9)):
                m.d.sync += self.o.payload.eq(self.o.payload ^ 2)
        return m


def claimed(component, check=keeps_handshake, *, name="handshake", **more):
    """Return the obligation that a check holds of a component."""
    return Obligation(name=type(component).__name__, claim=name, size={}, **{
        "create": lambda relying: Checked(component, check), **more})


def test_a_stream_that_is_right_is_proved(prover):
    proof = prover.prove(claimed(Holder()))
    assert proof.verdict == Verdict.PROVED
    assert proof.registers > 4


@pytest.mark.parametrize(("fault", "shows"), [
    ("valid", lambda before, last: (before["o_valid"], before["o_ready"], last["o_valid"]) == (
        1, 0, 0)),
    ("payload", lambda before, last: before["i_payload"] == 9
     and before["o_payload"] ^ last["o_payload"] == 2)])
def test_an_offer_that_does_not_stay_is_refuted(prover, fault, shows):
    found = prover.prove(claimed(Holder(fault=fault)))
    assert (found.verdict, found.counterexample.violated) == (Verdict.REFUTED, fault)
    assert shows(*found.counterexample.clocks[-2:])
    assert found.depth == len(found.counterexample.clocks) > 6
    assert found.counterexample.lines()[-1].startswith(f"clock {found.depth - 1}: ")


def test_nothing_is_claimed_after_an_assumption_fails(prover):
    def check(m, component):
        return keeps_handshake(m, component) | {"unless": component.i.payload == 9}

    proof = prover.prove(claimed(Holder(fault="payload"), check, name="handshake without 9"))
    assert proof.verdict == Verdict.PROVED


class Around(wiring.Component):
    """Hands on the stream of a component inside of it."""

    def __init__(self, fault=""):
        self.fault = fault
        super().__init__({"i": In(stream.Signature(4)), "o": Out(stream.Signature(4))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.inner = inner = Holder(fault=self.fault)
        wiring.connect(m, wiring.flipped(self.i), inner.i)
        wiring.connect(m, inner.o, wiring.flipped(self.o))
        return m


@pytest.mark.parametrize(("fault", "verdict", "relies_on"), [
    ("", Verdict.PROVED, ("Holder width=4",)), ("valid", Verdict.REFUTED, ())])
def test_only_what_is_proved_is_relied_on(prover, fault, verdict, relies_on):
    claim = Claim(text="handshake", create=Holder, check=keeps_handshake, known=True,
                  sizes=({"width": 4},))
    lemma = Obligation(name="Holder", claim=f"handshake, fault '{fault}'", size={"width": 4},
                       create=lambda relying: claim.hardware({"width": 4, "fault": fault}))
    proof = prover.prove(claimed(
        Around(fault), relies_on=lambda: [lemma], create=lambda relying: Checked(
            Around(fault), keeps_handshake, known=[claim] if relying else ())))
    assert (proof.verdict, proof.relies_on) == (verdict, relies_on)


class Table(wiring.Component):
    """A deep memory of zeros, whose words can be written or not."""

    def __init__(self, *, written):
        self.written = written
        super().__init__({"address": In(9), "word": In(1), "read": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(shape=1, depth=512, init=[])
        port = memory.read_port(domain="comb")
        m.d.comb += [port.addr.eq(self.address), self.read.eq(port.data)]
        if self.written:
            write = memory.write_port()
            m.d.comb += [write.addr.eq(self.address), write.data.eq(self.word), write.en.eq(1)]
        return m


@pytest.mark.parametrize(("written", "check", "verdict"), [
    (False, lambda m, table: {"read": table.read}, Verdict.PROVED),
    (True, lambda m, table: {"read": table.read}, Verdict.REFUTED),
    (True, lambda m, table: {"read": (table.read + 1 == 0)}, Verdict.PROVED)])
def test_a_deep_memory_has_its_contents(prover, written, check, verdict):
    assert prover.prove(claimed(Table(written=written), check)).verdict == verdict


def test_what_is_only_bounded_is_not_called_proved(computed):
    class Far(wiring.Component):
        far: Out(1)

        def elaborate(self, platform):
            m = Module()
            count = Signal(20)
            m.d.sync += count.eq(count * 5 + 3)
            m.d.comb += self.far.eq(count == 123456)
            return m

    proof = Proofs(computed, seconds=1, depth=10).prove(
        claimed(Far(), lambda m, far: {"there": far.far}))
    assert (proof.verdict, proof.method, proof.depth) == (Verdict.BOUNDED, "BMC", 10)
