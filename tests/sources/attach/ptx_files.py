"""The PTX files of the corpus, and whether there is a ptxas to assemble them with."""

from __future__ import annotations

from pathlib import Path

import pytest

from visualizer.sources.attach.assemble import find_ptxas
from visualizer.sources.errors import SourceError

CORPUS = Path(__file__).resolve().parent / "corpus"


def ptx(name: str) -> str:
    return (CORPUS / f"{name}.ptx").read_text(encoding="utf-8")


def has_ptxas() -> bool:
    try:
        find_ptxas()
    except SourceError:
        return False
    return True


needs_ptxas = pytest.mark.skipif(not has_ptxas(), reason="no ptxas here: pip install nvidia-cuda-nvcc")
