"""Faults in how a bus reaches registers break what is claimed of the bus."""

import pytest
from amaranth.hdl import Signal

from explore.netlist.formal import Obligation, Verdict, claims
from explore.netlist.formal.claim import Checked
from explore.netlist.formal.claims.bus import BusAccess


def was(m, value):
    before = Signal.like(value, name="was")
    m.d.sync += before.eq(value)
    return before


#: Of each bus: what breaks, and a statement that takes the place of another one.
FAULTS = [
    ("axi-lite", "b_stays", lambda m, port, access: access.taken.eq(1)),
    ("axi-lite", "r_stays", lambda m, port, access: access.found.eq(port.araddr)),
    ("axi-lite", "aw_ready", lambda m, port, access: port.awready.eq(~access.answers)),
    ("axi-lite", "ar_ready", lambda m, port, access: port.arready.eq(access.begins)),
    ("axi-lite", "apart", lambda m, port, access: [
        port.awready.eq(was(m, access.begins & access.writes) | access.begins & access.writes)]),
    ("axi-lite", "more", lambda m, port, access: port.arready.eq(port.arvalid)),
    ("axi-lite", "b_unasked", lambda m, port, access: port.bvalid.eq(access.answers)),
    ("axi-lite", "b_late", lambda m, port, access: port.bvalid.eq(0)),
    ("axi-lite", "late", lambda m, port, access: access.asks.eq(port.awvalid & port.wvalid)),
    ("axi-lite", "b_resp", lambda m, port, access: port.bresp.eq(0)),
    ("axi-lite", "b_resp", lambda m, port, access: port.bresp.eq(access.refuses)),
    ("axi-lite", "found", lambda m, port, access: access.address.eq(port.awaddr[2:])),
    ("axi-lite", "write", lambda m, port, access: access.bytes.eq(15)),
    ("axi-lite", "write", lambda m, port, access: port.write.eq(0)),
    ("axi-lite", "number", lambda m, port, access: access.address.eq(port.araddr[2:])),
    ("axi-lite", "data", lambda m, port, access: access.data.eq(port.wdata ^ port.awaddr)),
    ("wishbone", "both", lambda m, port, access: port.ack.eq(access.answers)),
    ("wishbone", "unasked", lambda m, port, access: port.ack.eq(access.answers & ~access.refuses)),
    ("wishbone", "found", lambda m, port, access: access.drops.eq(0)),
    ("wishbone", "late", lambda m, port, access: port.err.eq(0)),
    ("wishbone", "twice", lambda m, port, access: [
        port.write.eq(access.write | (was(m, access.write) & port.cyc & port.stb))]),
    ("wishbone", "write", lambda m, port, access: access.bytes.eq(15)),
    ("wishbone", "lost", lambda m, port, access: access.taken.eq(was(m, access.answers))),
    ("wishbone", "number", lambda m, port, access: access.address.eq(port.dat_w)),
    ("wishbone", "refused", lambda m, port, access: [
        port.ack.eq(access.answers & port.stb & port.cyc), port.err.eq(0)]),
    ("apb", "unasked", lambda m, port, access: access.taken.eq(was(m, access.answers))),
    ("apb", "fails", lambda m, port, access: port.pslverr.eq(access.refuses)),
    ("apb", "twice", lambda m, port, access: [
        port.write.eq(access.write | was(m, access.write))]),
    ("apb", "write", lambda m, port, access: access.is_write.eq(1)),
    ("apb", "lost", lambda m, port, access: port.write.eq(0)),
    ("apb", "late", lambda m, port, access: port.pready.eq(access.answers & ~access.refuses)),
    ("apb", "refused", lambda m, port, access: port.pslverr.eq(0)),
    ("apb", "data", lambda m, port, access: access.data.eq(port.pwdata ^ port.pstrb)),
    ("apb", "found", lambda m, port, access: port.prdata.eq(access.q ^ 1))]


class Faulty(BusAccess):
    """With statements that come after, and so instead of, those of the bus."""

    def __init__(self, fault, **size):
        self._fault = fault
        super().__init__(**size)

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self._fault(m, self, m.submodules.access)
        return m


@pytest.mark.thorough
@pytest.mark.sample(8)
@pytest.mark.parametrize(("bus", "broken", "fault"), FAULTS,
                         ids=[f"{bus}-{broken}" for bus, broken, _ in FAULTS])
def test_a_fault_is_found(prover, bus, broken, fault):
    """Without one, test_formal.py proves the claim."""
    claim = next(each for each in claims()
                 if each.create is BusAccess and each.sizes[0]["bus"] == bus)

    def of_it(m, block):
        values = claim.check(m, block)
        return {broken: values[broken], "unless": values["unless"]}

    found = prover.prove(Obligation(
        name=claim.name, claim=claim.text, size={}, create=lambda relying: Checked(
            Faulty(fault, **claim.sizes[0]), of_it)))
    assert (found.verdict, found.counterexample.violated) == (Verdict.REFUTED, broken)
