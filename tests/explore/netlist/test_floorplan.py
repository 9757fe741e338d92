"""Multiplier blocks in the places that they are given."""

import dataclasses
import itertools
import json
import re

import pytest
import toy

from explore.devices import targets
from explore.devices.sites import sites_for
from explore.netlist.floorplan import locate, spread
from montgomery.core import Products, Traits

SITED = [device for device in targets().values() if device.sites]


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Blocks(toy.Toy):
    """A core of 32 multiplier blocks."""

    @property
    def _traits(self):
        return Traits(products=(Products(32, 17, 17),))


def _sites(device, layout, **options):
    options = {"dsp_placement": layout, **options}
    sites, = sites_for(device, options, _Blocks(width=8)).values()
    return sites


def _places(sites):
    return [tuple(map(int, re.match(r"X(\d+)/Y(\d+)/", site).groups())) for site in sites]


@pytest.mark.parametrize("device", SITED, ids=lambda device: device.name)
def test_sites_are_all_there_are(device):
    sites = _sites(device, "rows")
    assert len(set(sites)) == len(sites) == device.capacity["dsp"]


@pytest.mark.parametrize("device", SITED, ids=lambda device: device.name)
@pytest.mark.parametrize("layout", ["rows", "two_rows"])
def test_sites_are_next_to_each_other(device, layout):
    places = _places(_sites(device, layout))
    for (column, row), (next_column, next_row) in itertools.pairwise(places):
        assert abs(next_column - column) <= 7
        # At its end a row is followed by the next one, in the same column.
        assert row == next_row or column == next_column


def test_two_rows_have_as_many_sites_as_a_core_has_blocks():
    found = _sites(targets()["ecp5-85k"], "two_rows")
    assert len(set(found)) == len(found) == 32
    middle = [column + offset for column in (40, 49, 58, 69) for offset in (0, 1, 4, 5)]
    assert sorted(_places(found)) == [(column, row) for column in middle for row in (34, 58)]


@pytest.mark.parametrize(("target", "options"), [
    ("ecp5-25k", {}), ("ecp5-85k", {"multipliers": "logic"})])
def test_two_rows_are_all_where_blocks_have_no_room_or_are_none(target, options):
    device = targets()[target]
    assert _sites(device, "two_rows", **options) == _sites(device, "rows")


@pytest.mark.parametrize(("count", "expected"), [
    (0, ""), (1, "e"), (2, "df"), (4, "bdfh"), (6, "acdfgi"), (9, "abcdefghi"), (10, "")])
def test_spread(count, expected):
    assert "".join(spread("abcdefghi", count)) == expected


def test_cells_are_in_the_order_of_their_numbers(tmp_path):
    names = ["pe_10.dsp", "pe_2.dsp", "cu.dsp", "pe_1.of_x", "pe_1.dsp"]
    cells = {name: {"type": "DSP", "attributes": {"keep": "1"}} for name in names}
    cells["pe_0.lut"] = {"type": "LUT4"}
    path = tmp_path / "netlist.json"
    path.write_text(json.dumps({"modules": {"top": {"cells": cells}, "DSP": {}}}))
    locate(path, {"DSP": "abcde"})
    placed = json.loads(path.read_bytes())["modules"]["top"]["cells"]
    assert {name: cell.get("attributes") for name, cell in placed.items()} == {
        "cu.dsp": {"keep": "1", "BEL": "a"}, "pe_1.dsp": {"keep": "1", "BEL": "b"},
        "pe_1.of_x": {"keep": "1", "BEL": "c"}, "pe_2.dsp": {"keep": "1", "BEL": "d"},
        "pe_10.dsp": {"keep": "1", "BEL": "e"}, "pe_0.lut": None}
