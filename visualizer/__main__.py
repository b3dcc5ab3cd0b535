"""`python -m visualizer` is the `phasescope` command, for machines where the script is not on PATH."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Run the command line. Ctrl+C while the libraries are still being read is no defect to show a traceback of."""
    try:
        from visualizer.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
