"""The PTX files of the corpus."""

from __future__ import annotations

from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"


def ptx(name: str) -> str:
    return (CORPUS / f"{name}.ptx").read_text(encoding="utf-8")
