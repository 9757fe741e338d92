"""Descriptions of cores of others, whose sources the user fetches.

Each is a TOML file as docs/verilog.md has it, with a table ``rival`` beside: where the sources come
from, and under which licence. A Verilog file beside it, which is ours, gives a core streams where
its ports are of another kind. Nothing of the authors is in this package.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from pathlib import Path

from montgomery.verilog.description import value_of

from ...errors import Refusal

__all__ = ["Rival", "is_rival", "place", "rival_modulus", "rivals"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rival:
    """A core of others, by the name that it has in rows, which begins with ``rival_``.

    The description in ``file`` was written for a commit. ``modulus`` is the one that it is built
    for, as an expression; empty if it takes others. The repository is in ``folder``, below that of
    all sources.
    """

    name: str
    repository: str
    commit: str
    licence: str
    note: str = ""
    modulus: str
    summary: str
    file: Path

    @property
    def folder(self) -> str:
        return self.repository.rpartition("/")[2]

    @property
    def fetch(self) -> str:
        """The commands that fetch the sources, in the folder of all sources."""
        return (f"git clone {self.repository} {self.folder} && "
                f"git -C {self.folder} checkout {self.commit}")


def is_rival(name: str) -> bool:
    """Return whether a core of this name is described here."""
    return any(rival.name == name for rival in rivals())


def rival_modulus(name: str) -> int | None:
    """Return the one modulus that a core of others is built for; None if it takes others."""
    said = next((rival.modulus for rival in rivals() if rival.name == name), "")
    return int(value_of("modulus", said, {})) if said else None


@functools.cache
def rivals() -> tuple[Rival, ...]:
    """Return the cores of others, by name."""
    found = []
    for file in sorted(Path(__file__).parent.glob("rival_*.toml")):
        said = tomllib.loads(file.read_text(encoding="utf-8"))
        found.append(Rival(name=file.stem, file=file, summary=said["summary"],
                           modulus=said.get("modulus", ""), **said["rival"]))
    return tuple(found)


def place(rival: Rival, folder: Path) -> Path | None:
    """Put the description of a core beside its sources, and return its file.

    The result is None if the sources are not in ``folder``. Another file of that name is refused.
    """
    if not (folder / rival.folder).is_dir():
        return None
    for file in rival.file.parent.glob(f"{rival.name}.*"):
        target, text = folder / file.name, file.read_bytes()
        if target.exists() and target.read_bytes() != text:
            raise Refusal(f"{target} is there already with other contents; move it away")
        target.write_bytes(text)
    return folder / rival.file.name
