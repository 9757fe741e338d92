"""The plots: each module without an underscore is the plot of its name.

:mod:`explore.plots._drawing` describes the contents of such a module.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["keep_cache_in"]


def keep_cache_in(folder: Path) -> None:
    """Make matplotlib keep its list of fonts in ``folder``, unless the user chose another place.

    Nothing is done if the folder cannot be written, or once anything has imported matplotlib.
    """
    cache = folder / "matplotlib"
    if os.access(cache if cache.exists() else folder, os.W_OK):
        os.environ.setdefault("MPLCONFIGDIR", str(cache))
