"""The ``montgomery`` program, which may be started in a folder that has an ``explore`` too."""

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the program with the packages beside this file."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import explore  # noqa: F401 (which finds the others)
    del sys.path[0]
    from explore.cli import cli

    cli()
