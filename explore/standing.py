"""Rows of an earlier sweep that stand, so that their points need not be measured again.

A row stands if the core is the same hardware to the bit, and the tools, in the same versions, would
be given the same arguments. So results that were committed are where the next sweep begins, on a
machine whose store is empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .points import Point
from .stages import synth_spec
from .targets import target

__all__ = ["Standing"]

#: As far as tools went, what a point comes to for ever.
_FINAL = ("ok", "no_fit", "no_fmax")


class Standing:
    """Rows that may stand.

    Parameters
    ----------
    rows : iterable of dict
        As :func:`explore.rows.row` makes them; of those of the same point and seed, the last one.
    version : callable
        Returns the version of a tool.
    timeout_s : float or None
        Time limit of a tool; a row that says it was too short stands unless it is longer now.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]], version: Callable[[str], str],
                 timeout_s: float | None) -> None:
        self._version, self._timeout_s = version, timeout_s
        self._rows = {_name(row["kind"], row["arch"], {**row["params"], "width": row["width"]},
                            row["target"], row["options"], row["seed"]): row
                      for row in rows if row.get("design") and self._is_final(row)}

    def _is_final(self, row: Mapping[str, Any]) -> bool:
        if row["status"] == "timeout" and self._timeout_s is not None:
            return (row["seconds_place"] or row["seconds_synth"] or 0) >= self._timeout_s
        return row["status"] in _FINAL

    def candidate(self, point: Point, seed: int) -> Mapping[str, Any] | None:
        """Return the row of a point and seed, which stands if the hardware is the same."""
        return self._rows.get(_name(point.kind, point.arch, dict(point.params), point.target,
                                    dict(point.options), seed))

    def row(self, point: Point, seed: int, elaborated: Mapping[str, Any] | None
            ) -> dict[str, Any] | None:
        """Return the row of a point and seed if it stands, else None.

        Parameters
        ----------
        elaborated : dict or None
            The outcome of the elaboration for the point's target.
        """
        found = self.candidate(point, seed)
        if not found or not elaborated or found["design"] != elaborated.get("rtlil"):
            return None
        device, options = target(point.target), dict(point.options)
        synth = synth_spec(device, options, elaborated, self._version("yosys"))
        tools = {"yosys": (synth["script"], synth["version"])}
        if device.placer and "nextpnr" in found["versions"]:
            tools[device.placer] = (device.place_arguments(options, seed),
                                    self._version(device.placer))
        same = (found["arguments"] == {name: arguments for name, (arguments, _) in tools.items()}
                and all(found["versions"].get(name.partition("-")[0]) == version
                        for name, (_, version) in tools.items()))
        return dict(found) if same else None


def _name(*what: Any) -> str:
    return json.dumps(what, sort_keys=True)
