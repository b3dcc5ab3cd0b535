"""`phasescope story export`: files, and one sentence for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from visualizer.cli.main import main


def test_a_chapter_as_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tile.html"
    assert main(["story", "export", "lesson", "-o", str(path), "--chapter", "one-tile", "--lang", "zh"]) == 0
    assert f"{path}: {path.stat().st_size:,} bytes" in capsys.readouterr().out
    assert '<html lang="zh"' in path.read_text(encoding="utf-8")


def test_a_handout_in_chinese(tmp_path: Path) -> None:
    from pypdf import PdfReader

    path = tmp_path / "tile.pdf"
    assert main(["story", "export", "lesson", "-o", str(path), "--chapter", "pipeline-state", "--lang", "zh"]) == 0
    assert len(PdfReader(path).pages) == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-o", "out.html", "--size", "big"], "--size big: expected WIDTHxHEIGHT, such as 1280x720"),
        (["-o", "out.html", "--chapter", "nine"], "--chapter nine: no chapter has this id; there are why-two-barriers"),
        (["-o", "out.docx"], "out.docx: a story has no such format"),
        (["-o", "out.pdf", "--size", "9x9"], "the size 9x9 is outside 960x540 to 3840x2160"),
    ],
)
def test_a_mistake_is_one_sentence(options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["story", "export", "lesson", *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"phasescope: {sentence}")
    assert error.count("\n") == 1
