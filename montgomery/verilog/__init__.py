"""Cores in Verilog and SystemVerilog, as Amaranth components that keep the contract.

A TOML file describes such a core; :mod:`.description` says what is in it. yosys reads the sources,
and what it makes of them becomes Amaranth's own logic (:mod:`.netlist`). So all that takes a core
of this package takes these too.
"""
