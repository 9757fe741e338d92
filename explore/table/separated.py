"""Tables as comma-separated values, for machines."""

from __future__ import annotations

import csv
import io
import re

from .model import Cell, Range, Table, one_line

__all__ = ["as_text", "comma_separated"]

#: Beginning of a cell that a spreadsheet takes for a formula.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def as_text(value: str) -> str:
    """Return a text as a cell of CSV that no spreadsheet takes for a formula."""
    return f"'{value}" if _FORMULA.match(value) else value


def comma_separated(table: Table) -> str:
    """CSV for machines: plain names, unrounded numbers, and no caption.

    A quantity with ranges takes three columns: ``name``, ``name_min`` and ``name_max``. A text that
    a spreadsheet would take for a formula begins with an apostrophe.
    """
    ranged = [column.spread or any(isinstance(row[index], Range) for row in table.rows)
              for index, column in enumerate(table.columns)]
    header = []
    for column, has_range in zip(table.columns, ranged, strict=True):
        name = as_text(one_line(column.name))
        header += [name, f"{name}_min", f"{name}_max"] if has_range else [name]
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(header)
    for row in table.rows:
        values: list[Cell] = []
        for cell, has_range in zip(row, ranged, strict=True):
            if isinstance(cell, Range):
                values += [cell.median, cell.low, cell.high]
            else:
                values += [cell] * (3 if has_range else 1)
        # If a count is missing, pandas turns all counts of the column into floating-point numbers.
        writer.writerow([int(value) if isinstance(value, float) and value.is_integer() else
                         as_text(one_line(value)) if isinstance(value, str) else value
                         for value in values])
    return output.getvalue()
