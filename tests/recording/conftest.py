"""Files that are well formed as ZIPs and wrong as recordings."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from recording_files import members_of


@pytest.fixture
def repack(lesson_file: Path, tmp_path: Path) -> Callable[..., Path]:
    """Makes a well-formed ZIP of the lesson's members with some replaced (None: left out); CRCs are right."""

    def make(changed: dict[str, bytes | None], compression: int = zipfile.ZIP_STORED) -> Path:
        path = tmp_path / "made.pscope"
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, content in {**members_of(lesson_file), **changed}.items():
                if content is not None:
                    archive.writestr(name, content)
        return path

    return make
