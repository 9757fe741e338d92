"""Tables for LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from .fitting import fitted
from .model import DASH, Table, one_line

__all__ = ["latex"]

#: Width of a page in characters.
_WIDTH = 90
_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}",
    # After the command that ends a row, these would be an argument of it.
    "[": "{[}", "*": "{*}", DASH: "--", "µ": r"\textmu{}", "·": r"$\cdot$", "±": r"$\pm$",
})


def _escaped(value: str) -> str:
    return one_line(value).translate(_LATEX)


def latex(table: Table) -> str:
    """A table environment for the package booktabs, no wider than a page.

    Columns that do not fit are left out, but for those of rank 0.
    """
    part = fitted(table, _WIDTH)

    def line(texts: Sequence[str]) -> str:
        shown = [rf"\quad {_escaped(each.strip())}" if each.startswith(" ") and not column.numeric
                 else _escaped(each.rstrip())
                 for each, column in zip(texts, part.columns, strict=True)]
        return f"  {' & '.join(shown).rstrip()} \\\\"

    lines = []
    for above, rows in part.groups:
        if above is not None:
            lines.append(rf"  \multicolumn{{{len(part.columns)}}}{{@{{}}l}}"
                         rf"{{{_escaped(above)}}} \\")
        lines += [line(texts) for row in rows for texts in row]
    spec = "".join("r" if column.numeric else "l" for column in part.columns)
    return "\n".join([
        r"\begin{table}", r"  \centering", rf"  \caption{{{_escaped(part.caption)}}}",
        rf"  \begin{{tabular}}{{@{{}}{spec}@{{}}}}", r"  \toprule", *map(line, part.heads),
        r"  \midrule", *lines, r"  \bottomrule", r"  \end{tabular}", r"\end{table}"]) + "\n"
