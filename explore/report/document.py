"""The report: its contents, and the two formats in which it is written."""

from __future__ import annotations

import base64
import dataclasses
import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..atomic import atomic_write
from ..data import trends as analysis
from ..data.frame import medians, notes
from ..data.labels import present
from ..data.summary import tabulate
from ..ecc import tabulate as scalar_multiplications
from ..errors import Refusal
from ..papers import _compare as compare
from ..papers import published
from ..papers._claims import claim
from ..plots._drawing import plots, plots_of, svg
from ..table import Table, markdown_text, render, text
from ..version import project_version
from .signatures import signatures

if TYPE_CHECKING:
    import pandas

__all__ = ["Document", "Part", "compose", "write_html", "write_markdown"]

#: Takes what is done, and the whole.
Progress = Callable[[int, int], None]

#: Kind of cores whose figures are named after the plot alone.
_USUAL_KIND = "multiplier"
#: Anchors of the parts that stand before the papers.
_FIRST = ("fronts", "rsa", "signatures", "p256")
#: Widths in bits of the multipliers whose Pareto fronts are shown.
_FRONT_WIDTHS = (256, 1024)


def _silent(done: int, total: int) -> None:
    """Say nothing of what is done."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Part:
    """A section of the report.

    Attributes
    ----------
    anchor : str
        Name of the section in links.
    title : str
    says : str
        Text above the tables.
    tables : sequence of Table
    notes : sequence of str
        Remarks below the tables.
    """

    anchor: str
    title: str
    says: str = ""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Document:
    """A whole report.

    Attributes
    ----------
    made : str
        Sentence on the number of rows, the dates of their measurement, and the tools.
    papers : list of Part
        One section for each source of published figures.
    together : list of Part
        The sections on all architectures.
    rows, points : DataFrame
        The measured rows, and their medians.
    notes : list of str
        Remarks on rows that this program did not write.
    """

    made: str
    papers: list[Part]
    together: list[Part]
    rows: pandas.DataFrame
    points: pandas.DataFrame
    notes: list[str] = dataclasses.field(default_factory=list)

    @property
    def first(self) -> list[Part]:
        """The sections on all architectures that help to choose a core."""
        return [part for part in self.together if part.anchor in _FIRST]

    @property
    def last(self) -> list[Part]:
        """The other sections on all architectures."""
        return [part for part in self.together if part.anchor not in _FIRST]


def compose(rows: pandas.DataFrame) -> Document:
    """Return the report on ``rows``, a frame of :func:`explore.data.frame.load`.

    Raises
    ------
    ValueError
        If there are no rows.
    """
    if rows.empty:
        raise Refusal("There are no measurements to report on; 'montgomery sweep' makes some")
    points = medians(rows)
    papers = [_paper(name, figures, points) for name, figures in sorted(published().items())]
    return Document(made=_made(rows), papers=papers, together=_together(rows, points),
                    rows=rows, points=points, notes=notes(rows))


def _made(rows: pandas.DataFrame) -> str:
    found: dict[str, set[str]] = {}
    for versions in rows["versions"]:
        for name, version in versions.items():
            if name != "python" and version:
                found.setdefault(name, set()).add(str(version))
    tools = "; ".join(f"{name} {', '.join(sorted(versions))}"
                      for name, versions in sorted(found.items()))
    dates = sorted(str(date)[:10] for date in rows["date"] if present(date))
    when = f" from {dates[0]} to {dates[-1]}" if dates else ""
    return f"{len(rows)} rows, measured{when} with {tools}."


def _paper(name: str, figures: Sequence[Any], points: pandas.DataFrame) -> Part:
    sources = list(dict.fromkeys(figure.source for figure in figures))
    title = sources[0] if len(sources) == 1 else "Open cores, on the flow of this project"
    table = compare.tabulate(title, figures, points)
    notes = dict.fromkeys(f"{figure.table}, {figure.name}"
                          f"{f', {figure.width} bits' if figure.width else ''}: {figure.note}"
                          for figure in figures if figure.note)
    return Part(anchor=name, title=title, says=claim(name, points), tables=[table],
                notes=list(notes))


def _together(rows: pandas.DataFrame, points: pandas.DataFrame) -> list[Part]:
    def tables(*found: Table | None) -> list[Table]:
        return [table for table in found if table is not None]

    parts = [
        Part(anchor="fronts", title="What to choose",
             says="A core that is missing here is beaten in LUTs, DSP blocks and latency at once. "
                  "'montgomery recommend' answers for other widths and limits.",
             tables=tables(*(analysis.fronts(points, width) for width in _FRONT_WIDTHS))),
        Part(anchor="rsa", title="RSA", says="Times of one RSA operation, the shortest first.",
             tables=tables(analysis.rsa(points))),
        Part(anchor="signatures", title="RSA signatures per second",
             says="The same cores beside systems of others.", tables=tables(signatures(points))),
        Part(anchor="p256", title="Elliptic curves", tables=tables(_scalar(rows))),
        Part(anchor="growth", title="How cost grows with the width",
             tables=tables(analysis.growth(points))),
        *(Part(anchor=_anchor(arch, index), title=f"All points of {arch}",
               tables=[tabulate(rows[rows["arch"] == arch])])
          for index, arch in enumerate(sorted(set(rows["arch"]))))]
    return [part for part in parts if part.tables]


def _anchor(arch: str, index: int) -> str:
    return f"all-{arch}" if arch.isascii() and arch.isidentifier() else f"all-{index}"


def _scalar(rows: pandas.DataFrame) -> Table | None:
    try:
        return scalar_multiplications(rows)
    except ValueError:  # no multiplier of 256 bits was measured
        return None


def _figures(document: Document, progress: Progress) -> list[tuple[str, str, str]]:
    """Return name, caption and SVG of each plot that can show some of the rows.

    Each kind of core has plots of its own, since an exponentiation takes thousands of times as long
    as a multiplication.
    """
    from montgomery import KINDS

    rows, points = document.rows, document.points
    chosen = []
    for kind in sorted(set(rows["kind"]), key=lambda kind: (kind != _USUAL_KIND, kind)):
        here, there = rows[rows["kind"] == kind], points[points["kind"] == kind]
        nouns = KINDS[kind].nouns
        title = nouns[0].upper() + nouns[1:]
        for name in plots_of(here, telling=True):
            caption = f"{title}: {plots()[name].summary}; one panel per target"
            chosen.append((name if kind == _USUAL_KIND else f"{kind}_{name}", caption, name, here,
                           there))
    found = []
    for file, caption, name, here, there in chosen:
        found.append((file, caption, svg(name, here, points=there)))
        progress(len(found), len(chosen))
    return found


def _page(name: str, **context: Any) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("explore.report"), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        autoescape=name.endswith(".html"))
    environment.filters |= {"cell": text, "markdown": lambda table: render(table, "markdown"),
                            "plain": markdown_text}
    return environment.get_template(f"{name}.j2").render(
        context, version=project_version(),
        today=datetime.datetime.now(datetime.UTC).date().isoformat())


def write_html(document: Document, path: Path, *, progress: Progress = _silent) -> None:
    """Write the report as one HTML file that needs no other files.

    ``progress`` is called with the number of plots that are drawn, and with that of all.
    """
    page = _page("report.html", document=document,
                 figures=[(name, summary, base64.b64encode(picture.encode()).decode())
                          for name, summary, picture in _figures(document, progress)])
    _write(path, lambda partial: partial.write_text(page, encoding="utf-8"))


def write_markdown(document: Document, folder: Path, *, progress: Progress = _silent
                   ) -> list[Path]:
    """Write ``report.md`` and its figures (SVG files) to ``folder``, and return their paths.

    See :func:`write_html` for ``progress``.
    """
    figures = _figures(document, progress)
    paths = []
    for name, _, picture in figures:
        path = folder / f"report_{name}.svg"
        _write(path, lambda partial, text=picture: partial.write_text(text, encoding="utf-8"))
        paths.append(path)
    page = _page("report.md", document=document,
                 figures=[(name, summary) for name, summary, _ in figures])
    path = folder / "report.md"
    _write(path, lambda partial: partial.write_text(page, encoding="utf-8"))
    return [path, *paths]


def _write(path: Path, write: Callable[[Path], Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as partial:
        write(partial)
