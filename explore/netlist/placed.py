"""Extracts a core from the netlist that is placed, so that this netlist can be simulated.

The netlist is flat, with the cells of the core and of the chain around it
(:mod:`explore.netlist.harness`). The chain is removed, and its connections to the core become the
ports. The cells have yosys's models; the cells that yosys treats as black boxes have ours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .harness import CORE, HARNESS

__all__ = ["core_of", "netlist_script"]

_PORTS = {"clk": "input", "rst": "input", "i__payload": "input", "i__valid": "input",
          "i__ready": "output", "o__payload": "output", "o__valid": "output", "o__ready": "input"}
#: Ports that not every core has.
_KEY_PORTS = {"k__payload": "input", "k__valid": "input", "k__ready": "output"}


def netlist_script(reading: Sequence[str], *, waveform: bool = False) -> list[str]:
    """Return the yosys commands from ``core.json`` (and ``models.v``) to ``core.cc``.

    Commands are given that read the models of the cells. For a ``waveform`` all signals stay by
    name.
    """
    names = ["read_json core.json", *reading, f"hierarchy -check -top {CORE}", "proc"]
    if waveform:
        return [*names, "write_cxxrtl -g4 core.cc"]
    # Without splitnets, bits of a word that depend on each other would look like a loop.
    return [*names, "flatten", "opt -full", "splitnets", "opt_clean -purge",
            "write_cxxrtl -g0 core.cc"]


def core_of(netlist: bytes) -> bytes:
    """Return the netlist of the core without the chain, as yosys's JSON, from that of both.

    :exc:`LookupError` or :exc:`ValueError` is raised if it is no such netlist.
    """
    design = json.loads(netlist)
    module = design["modules"][HARNESS]
    nets = module["netnames"]
    cells = {name: cell for name, cell in module["cells"].items() if _of_core(name)}
    ports = {port: {"direction": direction, "bits": nets[f"{CORE}.{port}"]["bits"]}
             for port, direction in (_PORTS | _KEY_PORTS).items()
             if port in _PORTS or f"{CORE}.{port}" in nets}
    core: dict[str, Any] = {"attributes": {"top": "1"}, "ports": ports, "cells": cells,
                            "netnames": {name: net for name, net in nets.items()
                                         if _of_core(name)}}
    return json.dumps({"creator": design["creator"], "modules": {CORE: core}}).encode()


def _of_core(name: str) -> bool:
    return name.removeprefix("$flatten\\").startswith(f"{CORE}.")
