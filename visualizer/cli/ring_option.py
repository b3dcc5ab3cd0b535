"""--ring NAME of several subcommands: which of a recording's rings is meant."""

from __future__ import annotations

from pathlib import Path

from visualizer.cli.errors import UserError
from visualizer.language import tr
from visualizer.replay.history import History


def check_ring(name: str, history: History, path: Path) -> None:
    """UserError if the recording in file `path` has no ring of this name."""
    names = [ring for ring in history.structure.names if any(r.name == ring for r in history.structure.rings)]
    if name in names:
        return
    if not names:
        raise UserError(tr("--ring {name}: {path} has no rings that are known", name=name, path=path))
    if names == [""]:
        raise UserError(tr("--ring {name}: {path} has one ring, without a name; leave it out", name=name, path=path))
    raise UserError(
        tr("--ring {name}: {path} has no such ring; it has {names}", name=name, path=path, names=", ".join(names))
    )
