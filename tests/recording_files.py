"""What tests of recording files share: comparing recordings, taking files apart, and what a refusal looks like."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visualizer.recording.file import load
from visualizer.recording.trace import Trace, TraceError
from visualizer.replay.history import History
from visualizer.resources import shipped_recording

MISSING = object()


def assert_equal(left: Trace, right: Trace) -> None:
    assert left.meta == right.meta
    assert left.agents == right.agents
    assert left.barriers == right.barriers
    assert left.sites == right.sites
    assert dict(left.source_files) == dict(right.source_files)
    assert left.events.dtype == right.events.dtype
    assert left.events.tobytes() == right.events.tobytes()


def shipped_history(name: str) -> History:
    """The History of a recording that comes with phasescope."""
    return History(load(shipped_recording(name)))


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def npy(array: np.ndarray[Any, Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def refusal(path: Path) -> str:
    """The message of the TraceError that loading `path` raises; it is one line and begins with the file's name."""
    with pytest.raises(TraceError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def with_value(document: Any, keys: tuple[str | int, ...], value: Any) -> bytes:
    """meta.json with one value replaced, or its key left out."""
    parent = document
    for key in keys[:-1]:
        parent = parent[key]
    if value is MISSING:
        del parent[keys[-1]]
    else:
        parent[keys[-1]] = value
    return json.dumps(document).encode()
