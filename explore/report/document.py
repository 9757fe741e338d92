"""The report: its contents, and the two formats in which it is written."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from montgomery import KINDS

from ..atomic import atomic_write
from ..data import trends as analysis
from ..data.frame import medians, notes
from ..data.labels import outside, present
from ..data.summary import tabulate
from ..errors import Refusal
from ..papers import _compare as compare
from ..papers import published
from ..papers._claims import claims
from ..plots._drawing import plots, plots_of, svg
from ..table import Table, markdown_text, render, text
from ..tools.find import project_version
from .page import contents, library
from .rates import curves, rsa

if TYPE_CHECKING:
    import pandas

__all__ = ["Document", "Part", "compose", "write_html", "write_markdown"]

#: Kind of cores whose figures are named after the plot alone.
_USUAL_KIND = "multiplier"
#: Widths in bits of the multipliers whose Pareto fronts are shown.
_FRONT_WIDTHS = (256, 1024)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Part:
    """A section of the report: text above the tables, and remarks below them.

    ``anchor`` is its name in links; empty if there are none.
    """

    title: str
    anchor: str = ""
    says: str = ""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Document:
    """A whole report on rows and their medians.

    ``first`` are the sections on all architectures that help to choose a core, ``papers`` one for
    each source of published figures, and ``last`` the other ones. ``outside`` says where cores come
    from that are not of this package.
    """

    made: str
    first: list[Part]
    papers: list[Part]
    last: list[Part]
    rows: pandas.DataFrame
    points: pandas.DataFrame
    notes: list[str] = dataclasses.field(default_factory=list)
    outside: str = ""


def compose(rows: pandas.DataFrame) -> Document:
    """Return the report on ``rows``, a frame of :func:`explore.data.frame.load`."""
    if rows.empty:
        raise Refusal("There are no measurements to report on; 'montgomery sweep' makes some")
    points = medians(rows)
    points.attrs["left_out"] = rows.attrs.get("left_out", ())
    papers = [_paper(name, figures, points) for name, figures in sorted(published().items())]
    first = [
        _part("rsa", "RSA", rsa(points),
              says="Times of one RSA operation, the shortest first, and signatures in a second, "
                   "beside systems of others."),
        _part("p256", "Elliptic curves", _curves(points))]
    last = [_part("growth", "How cost grows with the width", analysis.growth(points))]
    return Document(made=_made(rows), first=list(filter(None, first)),
                    papers=list(filter(None, papers)), last=list(filter(None, last)),
                    rows=rows, points=points, notes=notes(rows), outside=outside(points).strip())


def _part(anchor: str, title: str, *tables: Table | None, says: str = "") -> Part | None:
    """Return a section with the tables that there are; None if there is none."""
    found = [table for table in tables if table is not None]
    return Part(anchor=anchor, title=title, says=says, tables=found) if found else None


def _made(rows: pandas.DataFrame) -> str:
    found: dict[str, set[str]] = {}
    for versions in rows["versions"]:
        for name, version in versions.items():
            # There are as many cores and chains as there are points.
            if name not in ("python", "origin", "core", "harness", "flow") and version:
                found.setdefault(name, set()).add(str(version))
    tools = "; ".join(f"{name} {', '.join(sorted(versions))}"
                      for name, versions in sorted(found.items()))
    dates = sorted(str(date)[:10] for date in rows["date"] if present(date))
    when = f" from {dates[0]} to {dates[-1]}" if dates else ""
    return f"{len(rows)} rows, measured{when} with {tools}."


def _paper(name: str, figures: Sequence[Any], points: pandas.DataFrame) -> Part | None:
    measured = points[points["lut"].notna()]
    there = {(kind, width) for kind, own in zip(measured["kind"], measured["width"], strict=True)
             for width in (own, None)}
    if not any(figure.is_here or (figure.kind, figure.width) in there for figure in figures):
        return None  # nothing here is to be compared with
    sources = list(dict.fromkeys(figure.source for figure in figures))
    title = sources[0] if len(sources) == 1 else "Open cores, on the flow of this project"
    notes = dict.fromkeys(f"{figure.table}, {figure.name}"
                          f"{f', {figure.width} bits' if figure.width else ''}: {figure.note}"
                          for figure in figures if figure.note)
    tables = [claims(name, points), compare.tabulate(title, figures, points)]
    found = _part(name, title, *tables)
    return found and dataclasses.replace(found, notes=list(notes))


def _curves(points: pandas.DataFrame) -> Table | None:
    try:
        return curves(points)
    except ValueError:  # no multiplier of 256 bits was measured
        return None


def _figures(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield name, caption and SVG of each plot that can show some of the rows.

    Each kind of core has plots of its own, since an exponentiation takes thousands of times as long
    as a multiplication.
    """
    for kind in sorted(set(document.rows["kind"]), key=lambda kind: (kind != _USUAL_KIND, kind)):
        here, points = (frame[frame["kind"] == kind] for frame in (document.rows, document.points))
        title = f"{KINDS[kind].nouns[0].upper()}{KINDS[kind].nouns[1:]}"
        for name in plots_of(here, telling=True):
            yield (name if kind == _USUAL_KIND else f"{kind}_{name}",
                   f"{title}: {plots()[name].summary}; one panel per target",
                   svg(name, here, points=points))


def _filled(table: Table) -> list[int]:
    """Return the places of the columns that have a value in some row."""
    return [place for place in range(len(table.columns))
            if any(row[place] is not None for row in table.rows)]


def _page(name: str, **context: Any) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("explore.report"), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        autoescape=name.endswith(".html"))
    filters: dict[str, Callable[..., Any]] = {
        "cell": text, "markdown": lambda table: render(table, "markdown"), "plain": markdown_text,
        "words": lambda value: re.findall(r"[\w.]+", value)}
    environment.filters |= filters
    return environment.get_template(f"{name}.j2").render(
        context, version=project_version(),
        today=datetime.datetime.now(datetime.UTC).date().isoformat())


def write_html(document: Document, path: Path) -> None:
    """Write the report as one HTML file that needs no other files."""
    _write(path, _page("report.html", document=document, contents=contents(document.points),
                       filled=_filled, library=library))


def write_markdown(document: Document, folder: Path) -> list[Path]:
    """Write ``report.md`` and its figures (SVG files) to ``folder``, and return their paths."""
    path, figures, paths = folder / "report.md", [], []
    for name, summary, picture in _figures(document):
        figures.append((name, summary))
        paths.append(folder / f"report_{name}.svg")
        _write(paths[-1], picture)
    fronts = _part("fronts", "What to choose", *(analysis.fronts(document.points, width)
                                                 for width in _FRONT_WIDTHS),
                   says="A core that is missing here is beaten in LUTs, DSP blocks and latency at "
                        "once. 'montgomery recommend' answers for other widths and limits.")
    whole = dataclasses.replace(
        document, first=[*filter(None, [fronts]), *document.first],
        last=[*document.last, *(Part(title=f"All points of {arch}", tables=[tabulate(rows)])
                                for arch, rows in document.rows.groupby("arch"))])
    _write(path, _page("report.md", document=whole, figures=figures))
    return [path, *paths]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as partial:
        partial.write_text(text, encoding="utf-8")
