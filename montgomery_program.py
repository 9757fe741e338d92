"""The ``montgomery`` program; a folder where it is started may have packages of these names too."""

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the program with the packages beside this file."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import boards  # noqa: F401
    import explore  # noqa: F401
    del sys.path[0]
    from explore.cli import cli

    cli()
