"""Runs a tool exactly as a description says.

A description is a specification with these entries:

=============  ====================================================================================
``tool``       name of the tool
``identity``   hash of its files
``entry``      function of the package that runs it, as ``module:function``; empty for a program
``arguments``  its arguments
``files``      from the names of files to be written before to their contents, a text or lines
``inputs``     from the names of files that lie there before to their SHA-256
``sites``      optional: sites for blocks in the netlist, see :mod:`explore.netlist.floorplan`
``keep``       names of the files that the tool must leave
``facts``      from the names of facts to the files whose SHA-256 they are
=============  ====================================================================================

Nothing else changes what a tool does, apart from the code of this module and of
:mod:`explore.tools.launch`, whose hash is in the key of every outcome. The code in between cannot
run anything else unseen: the launcher writes down what it ran.
"""

from __future__ import annotations

import functools
import json
from typing import final

from ..fingerprint import own_fingerprint
from ..netlist.floorplan import locate
from ..outcome import StageFailed
from ..store.artefacts import digest, output
from ..tools.find import find
from ..tools.launch import RAN
from .stage import Result, Spec, Stage, Tools, Workspace

__all__ = ["ToolStage"]

_RAN = "ran.json"


class ToolStage(Stage):
    """A stage whose specification is a description of the run of a tool."""

    @property
    @final
    def code(self) -> str:
        return _own_code()

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"identity": tools.identity(spec["tool"]), "entry": find(spec["tool"]).entry}

    @final
    def run(self, spec: Spec, workspace: Workspace) -> Result:
        return _run(spec, workspace)


def _run(spec: Spec, workspace: Workspace) -> Result:
    folder, name = workspace.folder, spec["tool"]
    for file, expected in spec["inputs"].items():
        if digest((folder / file).read_bytes()) != expected:
            raise StageFailed(f"{file} is not the file that {name} was to read")
    for file, text in spec["files"].items():
        lines = text if isinstance(text, str) else "".join(f"{line}\n" for line in text)
        (folder / file).write_text(lines, encoding="utf-8")
    if "sites" in spec:
        locate(folder / "netlist.json", spec["sites"])
    workspace.run(name, [*find(name).command, *spec["arguments"]], {RAN: _RAN})
    ran = json.loads(output(folder, _RAN, "the launcher"))
    if ran["arguments"] != spec["arguments"] or (spec["entry"] and ran["what"] != spec["entry"]):
        raise StageFailed(f"{name} did not run with the arguments that were described, but as "
                          f"{' '.join([ran['what'], *ran['arguments']])}")
    for file in spec["keep"]:
        output(folder, file, name)
    facts = {fact: digest(output(folder, file, name)) for fact, file in spec["facts"].items()}
    return Result(facts, spec["keep"])


@functools.cache
def _own_code() -> str:
    return own_fingerprint(__name__, "explore.tools.launch")
