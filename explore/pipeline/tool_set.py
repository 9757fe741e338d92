"""The programs of this machine, as stages ask for them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ..tools.toolbox import Toolbox

if TYPE_CHECKING:
    from ..tools.compiler import Compiler

__all__ = ["ToolSet"]


@dataclasses.dataclass(frozen=True)
class ToolSet:
    """The :class:`explore.pipeline.stage.Tools` of this machine.

    Parameters
    ----------
    compiler : Compiler or None
        The C++ compiler; None where there is none.
    """

    toolbox: Toolbox
    compiler: Compiler | None = None

    def identity(self, name: str, *, packaged: bool = False) -> str:
        return self.toolbox.identity(name, packaged=packaged)
