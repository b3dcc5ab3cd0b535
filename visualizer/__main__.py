"""`python -m visualizer` is the `phasescope` command, for machines where the script is not on PATH."""

from __future__ import annotations

import sys

from visualizer.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
