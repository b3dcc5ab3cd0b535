"""Recordings taken apart and put together again."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EVENT_DTYPE, NO_SAMPLES


@dataclass
class Parts:
    """A recording taken apart."""

    document: dict[str, Any]
    events: NDArray[np.void]
    samples: NDArray[np.void]


def take_apart(content: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    samples = np.load(io.BytesIO(members["samples.npy"])) if "samples.npy" in members else NO_SAMPLES.copy()
    events = np.load(io.BytesIO(members["events.npy"])).astype(EVENT_DTYPE)
    document = json.loads(members["meta.json"])
    document.setdefault("rings", [""])  # which recordings of earlier versions do not have
    return Parts(document, events, samples)


def put_together(parts: Parts) -> bytes:
    """The file, all of whose sizes and checksums fit."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, rows in (("events.npy", parts.events), ("samples.npy", parts.samples)):
            if name == "events.npy" or len(rows):
                member = io.BytesIO()
                np.save(member, rows)
                archive.writestr(name, member.getvalue())
        archive.writestr("meta.json", json.dumps(parts.document, ensure_ascii=False).encode("utf-8", "replace"))
    return content.getvalue()
