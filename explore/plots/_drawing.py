"""The registry of plots, which draws plots and writes their files."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import plots as _plots
from ..atomic import atomic_write
from ..data.labels import plain_name
from ..errors import Refusal
from ..lookup import known, modules_of
from . import Plot
from ._style import labelled, styled

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "draw", "files_of", "of_one_kind", "plots", "plots_of", "save", "svg",
           "write"]

#: File formats, by suffix.
FORMATS = ("svg", "png", "pdf")

#: Files have neither a date nor versions of libraries, so that equal data give equal bytes.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None}, "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None}}


def plots() -> dict[str, Plot]:
    """Return all plots by name."""
    modules = (importlib.import_module(f"{_plots.__name__}.{name}") for name in modules_of(_plots))
    return dict(sorted(plot for module in modules for plot in module.PLOTS.items()))


def plots_of(rows: pandas.DataFrame, *, telling: bool = False) -> list[str]:
    """Return the names of the plots that can show some of ``rows``.

    A plot over a parameter needs rows with two different values of it. So does a plot over the
    width if plots are to be ``telling``, unless there is no other plot.
    """
    found = [name for name, plot in plots().items() if plot.varies(rows)]
    if not telling or rows["width"].nunique() > 1:
        return found
    return [name for name in found if not plots()[name].over_width] or found


def of_one_kind(rows: pandas.DataFrame, names: Sequence[str] = ()
                ) -> tuple[pandas.DataFrame, list[str]]:
    """Return the rows of one kind of core, and the names of the kinds that are left out.

    Times of different operations are not compared. The kind is the first one of which a plot, or
    one of ``names``, shows something. All rows are returned if each of ``names`` shows several
    kinds.
    """
    from montgomery import KINDS

    if names and all(name in plots() and plots()[name].of_any_kind for name in names):
        return rows, []
    there = set(rows["kind"])
    shown = {kind: found for kind in KINDS
             if kind in there and (found := plots_of(rows[rows["kind"] == kind])) and (
                 not names or not set(names).isdisjoint(found))}
    if not shown:
        return rows, []
    first, *others = shown
    return rows[rows["kind"] == first], others


def draw(name: str, rows: pandas.DataFrame, *, points: pandas.DataFrame | None = None) -> Figure:
    """Return the plot ``name`` of ``rows``, a frame of :func:`explore.data.frame.load`.

    ``points`` are the medians of ``rows``, which are computed if None.
    """
    from ..data.frame import medians

    plot = plots()[known("plot", name, plots())]
    points = medians(rows) if points is None else points
    measured = points[plot.shown(points)]
    if measured.empty:
        of = f" of a core with {plain_name(plot.column)}" if plot.column else ""
        raise Refusal(f"Plot {name} needs a measured point{of}, but none of {len(rows)} rows is "
                      "one; look at 'montgomery table' for what was measured")
    with styled():
        return plot.draw(labelled(measured))


def svg(name: str, rows: pandas.DataFrame, *, points: pandas.DataFrame | None = None) -> str:
    """Return the figure of :func:`draw` as the text of an SVG file."""
    figure, buffer = draw(name, rows, points=points), io.StringIO()
    with _finished(figure):
        figure.savefig(buffer, format="svg", metadata=_METADATA["svg"])
    return buffer.getvalue()


def write(names: Sequence[str], rows: pandas.DataFrame, folder: Path,
          formats: Sequence[str] = ("svg", "png")) -> list[Path]:
    """Draw the plots ``names`` of ``rows``, write them to ``folder``, and return their paths.

    The same rows give the same bytes. Each file is written completely or not at all, and none if a
    plot or a format is refused.
    """
    for suffix in formats:
        known("plot format", suffix, FORMATS)
    from ..data.frame import medians

    points = medians(rows)
    figures = {name: draw(name, rows, points=points) for name in names}
    return save(figures, folder, formats)


def save(figures: Mapping[str, Figure], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write figures, by the names of their files, as :func:`write` does."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in figures.items():
        with _finished(figure):
            for suffix in formats:
                path = folder / f"{name}.{suffix}"
                with atomic_write(path) as partial:
                    figure.savefig(partial, format=suffix, dpi=200, metadata=_METADATA[suffix])
                paths.append(path)
    return paths


def files_of(names: Sequence[str], folder: Path,
             formats: Sequence[str] = ("svg", "png")) -> list[Path]:
    """Return the paths of :func:`write`; none if a file is missing, or is older than this program.
    """
    paths = [folder / f"{name}.{suffix}" for name in names for suffix in formats]
    program = max(path.stat().st_mtime for path in Path(__file__).parent.glob("*.py"))
    return paths if all(path.is_file() and path.stat().st_mtime > program for path in paths) else []


@contextlib.contextmanager
def _finished(figure: Figure) -> Iterator[None]:
    """Lay out a figure once, in the style of plots, so that saving a format does not repeat it."""
    with styled():
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")
        yield
