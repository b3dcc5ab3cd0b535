"""How command-line tests run a command: in this process, with its output captured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from visualizer.cli.main import main


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


@pytest.fixture
def phasescope(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """`phasescope("record", "-o", path)` runs that command line; argparse's own exits count as exit statuses."""

    def run(*words: object) -> Outcome:
        capsys.readouterr()
        try:
            status = main([str(word) for word in words])
        except SystemExit as stop:
            status = int(stop.code or 0)
        seen = capsys.readouterr()
        return Outcome(status, seen.out, seen.err)

    return run
