"""Multiplier blocks in the places that they are given."""

import itertools
import json
import re

import pytest

from explore.devices import targets
from explore.netlist.floorplan import locate, spread

SITED = [device for device in targets().values() if device.sites]


@pytest.mark.parametrize("device", SITED, ids=lambda device: device.name)
def test_sites_are_all_there_are(device):
    sites, = device.sites.values()
    assert len(set(sites)) == len(sites) == device.capacity["dsp"]


@pytest.mark.parametrize("device", SITED, ids=lambda device: device.name)
def test_sites_are_next_to_each_other(device):
    sites, = device.sites.values()
    places = [tuple(map(int, re.match(r"X(\d+)/Y(\d+)/", site).groups())) for site in sites]
    for (column, row), (next_column, next_row) in itertools.pairwise(places):
        assert abs(next_column - column) <= 7
        # At its end a row is followed by the next one, in the same column.
        assert row == next_row or column == next_column


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
