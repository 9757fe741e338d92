"""Measurements in a notebook: everything as a :class:`pandas.DataFrame`.

>>> from explore.analysis import columns, load, medians, pareto
>>> points = medians(load("results"))
>>> pareto(points[points["width"] == 256], ("lut", "latency_us"))

``results/analysis.ipynb`` is an example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import known
from .report.analysis import fronts, growth, pareto, rsa
from .report.compare import beside, tabulate
from .results import load, medians
from .table import Table, text

if TYPE_CHECKING:
    import pandas

__all__ = ["COLUMNS", "columns", "frame", "fronts", "growth", "load", "medians", "paper", "pareto",
           "rsa"]

#: Unit and meaning of each column of :func:`load`, beside ``param_*`` and ``option_*``: the
#: parameters of architectures, and the options of tools.
COLUMNS = {
    "arch": ("", "core, by its name among those of its kind"),
    "kind": ("", "multiplier, exponentiator, or decryption, which is RSA with CRT"),
    "width": ("bits", "largest modulus"),
    "params": ("", "parameters of the core, other than the width"),
    "target": ("", "FPGA, or board for status on_board"),
    "options": ("", "options of yosys and nextpnr"),
    "seed": ("", "of placement; a row each"),
    "status": ("", "ok, no_fit, timeout, oom, tool_error, no_fmax, unverified, or on_board"),
    "constant_time": ("", "whether all operations of the same lengths took the same clocks"),
    "lut": ("LUT", "LUT4, LUT6 or ALUT, by family, of the core alone"),
    "ff": ("FF", "registers of the core alone"),
    "ff_skew": ("FF", "of these, those that only bring operands to their place"),
    "dsp": ("blocks", "multiplier blocks"),
    "bram": ("blocks", "block RAMs"),
    "copies": ("", "cores that the device holds, by what is short first"),
    "fmax_mhz": ("MHz", "what nextpnr reached"),
    "fmax_usable_mhz": ("MHz", "the least of that and of the data sheet's limits"),
    "constraint_mhz": ("MHz", "what nextpnr was asked for"),
    "cycles_load": ("clocks", "from the first operand word to the last"),
    "cycles_compute": ("clocks", "from the last operand word to the first result word"),
    "cycles_unload": ("clocks", "from the first result word to the last"),
    "cycles_interval": ("clocks", "between dependent operations"),
    "cycles_initiation": ("clocks", "between independent operations"),
    "latency_us": ("µs", "cycles_compute at the usable clock"),
    "throughput_mbps": ("Mbit/s", "of dependent operations"),
    "throughput_pipelined_mbps": ("Mbit/s", "of independent operations"),
    "lut_us": ("LUT·µs", "lut times latency_us"),
    "design": ("", "hash of the core's RTLIL, as it was synthesised"),
    "key": ("", "of the last stage in the store"),
    "log": ("", "last lines of what failed"),
    "critical_path": ("", "the slowest path, by nextpnr"),
    "seconds_synth": ("s", "time that yosys took"),
    "seconds_place": ("s", "time that nextpnr took"),
    "versions": ("", "of all programs"),
    "arguments": ("", "of all programs"),
    "host": ("", "where it was measured"),
    "date": ("", "when it was measured"),
}


def columns() -> pandas.DataFrame:
    """Return :data:`COLUMNS` as a table."""
    import pandas

    return pandas.DataFrame([(name, *what) for name, what in COLUMNS.items()],
                            columns=["column", "unit", "meaning"]).set_index("column")


def frame(table: Table | None) -> pandas.DataFrame:
    """Return a table as it is read: numbers rounded, ranges of seeds in parentheses.

    Empty if there is none, as of :func:`growth`, :func:`fronts` and :func:`rsa` where too little
    was measured.
    """
    import pandas

    if table is None:
        return pandas.DataFrame()
    return pandas.DataFrame([[text(cell) for cell in row] for row in table.rows],
                            columns=[column.header for column in table.columns])


def paper(name: str, points: pandas.DataFrame) -> pandas.DataFrame:
    """Return a paper's table with the measured points that may stand beside each row.

    Parameters
    ----------
    name : str
        A module of :mod:`explore.papers`, as ``song_single_dsp``.
    points : DataFrame
        Of :func:`medians`.

    Raises
    ------
    UnknownName
        If there is no such paper.
    """
    from .papers import published

    sources = published()
    figures = sources[known("paper", name, sources)]
    return frame(tabulate(figures[0].source, beside(figures, points)))
