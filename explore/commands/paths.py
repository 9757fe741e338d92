"""``montgomery paths``: what limits the clock of cores."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._activity import announce
from ._answer import SCHEMA, Answer, answering
from ._command import Command
from ._rows import load_rows, named_rows, rows_options, selected_rows

if TYPE_CHECKING:
    from ..netlist.hops import Hop

__all__ = ["command"]

#: Lines of expressions that are shown of a signal.
_MOST_LINES = 3


@click.command(cls=Command, short_help="Say what limits the clock: paths with source lines.")
@click.argument("row", metavar="[ROW]", required=False)
@rows_options
@answering
def command(row: str | None, **selection: Any) -> Answer:
    """Say what limits the clock of each core, or show the critical path of a row cell by cell.

    Without ROW, the rows of a sweep are summed up: for each point the signals between which the
    critical path lies most often, its levels of logic, and how much of it is routing.

    ROW is FILE:LINE, or the first digits of the seal of a row in the store. Its path is that of
    nextpnr's report, which the store has or which is made again. Beside each cell stand the signal
    after which yosys named it, and the lines of Amaranth's source that compute this signal.

    \b
    montgomery paths --from results
    montgomery paths -a mmm_mx_1d -t ecp5-25k
    montgomery paths results/rows.jsonl:3
    """
    if row is None:
        from ..data.limits import limiting

        summary = limiting(selected_rows(**selection))
        return Answer({"schema": SCHEMA, "points": summary}, _table(summary))
    found = named_rows(row, lambda: load_rows(
        selection["store_path"], selection["sources"], selection["current"]).to_dict("records"))
    if len(found) > 1:
        raise click.UsageError(f"ROW must name one row, and '{row}' names {len(found)}; write "
                               "FILE:LINE, or more digits of the seal")
    document = _path(found[0], selection["store_path"])
    return Answer({"schema": SCHEMA, **document}, _lines(document))


def _table(points: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what limits each point."""
    from ..table import Range, plain_table, render

    yield render(plain_table(
        "The path that limits the clock most often, of the seeds of each point; delays are "
        "medians.",
        {"Point": "", "Fmax": "MHz", "From … to": "", "Seeds": "", "Levels": "", "Logic": "ns",
         "Routing": "ns", "Share of routing": ""},
        [[point["point"], Range(*point["fmax_mhz"]), point["between"],
          f"{point['times']} of {point['seeds']}", point["levels"], point["logic_ns"],
          point["routing_ns"], f"{100 * point['routing']:.0f} %"] for point in points]),
        "terminal").rstrip("\n")


def _path(row: Mapping[str, Any], store_path: Path | None) -> dict[str, Any]:
    """Return the path of a row, from the report that nextpnr writes today."""
    from montgomery.core import about
    from montgomery.technology import GENERIC

    from ..data.labels import present
    from ..devices import target
    from ..netlist.hops import hops
    from ..netlist.origins import core_origins
    from ..pipeline.on_demand import UNVERIFIED, SingleStages
    from ..pipeline.stage import Job
    from ..pipeline.stages import stages
    from ..points.expand import check_known
    from ..points.point import Point
    from ..store import Store

    point = Point.from_row(row)
    check_known(point)
    device, options = target(point.target), dict(point.options)
    if device.placer is None:
        raise click.UsageError(f"{point.target} is not placed, so that there is no path; name a "
                               "row of another target")
    job = Job(params=point.parameters(), device=device, options=options, seed=int(row["seed"]),
              point=point)
    with Store(store_path) as store, \
            tempfile.TemporaryDirectory(prefix="montgomery-paths-") as folder:
        with SingleStages(store, announce=announce) as computed:
            _, design = computed.obtain(stages()["design"], job)
            computed.obtain(stages()["place"], job, without=UNVERIFIED, into=Path(folder))
        report = json.loads(Path(folder, "report.json").read_bytes())
    technology = device.technology_for(options) if about(job.params).uses_blocks else None
    found = hops(report, core_origins(job.params, technology or GENERIC),
                 carries=device.family.carries)
    fmax = min((clock["achieved"] for clock in report["fmax"].values()), default=None)
    return {"point": point.label, "seed": job.seed, "fmax_mhz": fmax,
            "row_fmax_mhz": row.get("fmax_mhz") if present(row.get("fmax_mhz")) else None,
            "same_design": row.get("design") == design.facts.get("rtlil"),
            "logic_ns": sum(hop.logic_ns for hop in found),
            "routing_ns": sum(hop.routing_ns for hop in found),
            "hops": [_hop(hop) for hop in found]}


def _hop(hop: Hop) -> dict[str, Any]:
    origin = hop.origin
    return {**dataclasses.asdict(hop), "in_core": hop.in_core,
            "origin": origin and {"signal": origin.signal, "lines": list(origin.lines)}}


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that show a path."""
    from ..table import number, plain_table, render

    total = document["logic_ns"] + document["routing_ns"]
    fmax = "no clock" if document["fmax_mhz"] is None else f"{number(document['fmax_mhz'])} MHz"
    yield f"{document['point']}, seed {document['seed']}: {fmax}"
    if not document["same_design"]:
        yield "The hardware is another today than when the row was measured; this is today's path"
    elif document["row_fmax_mhz"] and document["fmax_mhz"] and (
            abs(document["row_fmax_mhz"] - document["fmax_mhz"]) > 0.01):
        yield (f"The row has {number(document['row_fmax_mhz'])} MHz: it was placed by other tools "
               "than today's")
    if not document["hops"]:
        yield "nextpnr reports no path between registers"
        return
    yield (f"{total:.2f} ns, of which {document['logic_ns']:.2f} are logic and "
           f"{document['routing_ns']:.2f} ({100 * document['routing_ns'] / total:.0f} %) routing")
    body = []
    for hop in document["hops"]:
        origin = hop["origin"]
        lines = origin["lines"] if origin else []
        more = len(lines) - _MOST_LINES
        shown = ", ".join(lines[:_MOST_LINES]) + (f" and {more} more" if more > 0 else "")
        name = (origin["signal"] or "expression") if origin else (
            "unnamed" if hop["in_core"] else "chain around the core")
        if hop["cells"] > 1:
            name += f" ({hop['cells']} cells of a carry chain)"
        body.append([name, hop["routing_ns"], hop["logic_ns"], shown])
    yield render(plain_table("", {"At signal": "", "Routing to it": "ns", "Logic": "ns",
                                  "Source": ""}, body), "terminal").strip("\n")
