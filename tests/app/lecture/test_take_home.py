"""Stories as PDF, GIF and MP4, read back; and what is said when one cannot be written."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from test_lecture import STORY

from visualizer.app.lecture.film import reading_seconds, shots_of
from visualizer.app.lecture.take_home import TakeHome, chapters_named, export_story
from visualizer.export.errors import ExportError
from visualizer.playback.stories.load import parse_story
from visualizer.playback.stories.telling import Telling
from visualizer.sources.errors import Cancelled


@pytest.fixture
def telling(qapp: QApplication) -> Telling:
    return Telling(parse_story(STORY))


def wish(path: Path, language: str = "en", chapters: tuple[int, ...] = (0, 1), size=(960, 540)) -> TakeHome:
    return TakeHome(path, chapters, language, "light", size)


def plain(text: str) -> str:
    """Without spaces, for lines break anywhere, and without ligatures."""
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.parametrize(("language", "said"), [("en", "16384 bytes are owed"), ("zh", "还欠 16384 字节")])
def test_the_handout_has_a_page_for_each_step(telling: Telling, tmp_path: Path, language: str, said: str) -> None:
    from pypdf import PdfReader

    path = tmp_path / "story.pdf"
    assert export_story(telling, wish(path, language, size=(1280, 720))) == path.stat().st_size
    pages = PdfReader(path).pages
    assert len(pages) == 3
    box = pages[0].mediabox
    assert box.width > box.height
    assert plain(said) in plain(pages[0].extract_text())
    if language == "en":
        text = plain(pages[1].extract_text())
        assert plain("What now?") in text
        assert plain("A flip. Phase 1.") in text
        assert "empty[0]" in text  # the ring is drawn, not a photograph


def test_the_animation_has_a_frame_for_each_shot(telling: Telling, tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "story.gif"
    export_story(telling, wish(path))
    shots = shots_of(telling, (0, 1))
    with Image.open(path) as image:
        assert image.size == (960, 540)
        assert image.n_frames == len(shots) == 3 + 4
        assert image.info["loop"] == 0
        lengths = []
        for frame in range(image.n_frames):
            image.seek(frame)
            lengths.append(image.info["duration"] / 1000)
    assert lengths == [shot.seconds for shot in shots]


def test_the_film_lasts_as_long_as_its_shots(telling: Telling, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "story.mp4"
    export_story(telling, wish(path, size=(961, 540)))
    frames = ffmpeg.read_frames(str(path))
    meta = next(frames)
    frames.close()
    assert meta["size"] == (960, 540)
    assert meta["duration"] == pytest.approx(sum(shot.seconds for shot in shots_of(telling, (0, 1))), abs=0.6)


def test_chapters_can_be_chosen(telling: Telling, tmp_path: Path) -> None:
    from pypdf import PdfReader

    assert chapters_named(telling.story, []) == (0, 1)
    assert chapters_named(telling.story, ["two"]) == (1,)
    export_story(telling, wish(tmp_path / "two.pdf", chapters=(1,)))
    assert len(PdfReader(tmp_path / "two.pdf").pages) == 1
    with pytest.raises(ExportError, match="--chapter three: no chapter has this id; there are one, two"):
        chapters_named(telling.story, ["three"])


def test_longer_texts_stand_longer() -> None:
    assert reading_seconds("short") == 3.0
    assert reading_seconds("x" * 160) == 11.5
    assert reading_seconds("字" * 60) == 11.5


@pytest.mark.parametrize("suffix", [".pdf", ".gif", ".mp4", ".html"])
def test_cancelled_nothing_is_left(telling: Telling, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"story{suffix}"
    path.write_text("before")
    asked = iter([False, False])
    with pytest.raises(Cancelled):
        export_story(telling, wish(path), cancelled=lambda: next(asked, True))
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    assert not [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]


@pytest.mark.parametrize(
    ("module", "suffix", "extra"), [("imageio_ffmpeg", ".mp4", "video"), ("PIL.Image", ".gif", "export")]
)
def test_a_missing_package_is_named(
    telling: Telling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, suffix: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ExportError, match=rf"not installed; run: pip install 'phasescope\[{extra}\]'"):
        export_story(telling, wish(tmp_path / f"story{suffix}"))
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_said(telling: Telling, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"a story has no such format; choose one of \.html, \.pdf, \.gif, \.mp4"):
        export_story(telling, wish(tmp_path / "story.doc"))
    with pytest.raises(ExportError, match="cannot be written: No such file or directory; check that"):
        export_story(telling, wish(tmp_path / "none" / "story.html"))
    (tmp_path / "folder.pdf").mkdir()
    with pytest.raises(ExportError, match="is not a regular file"):
        export_story(telling, wish(tmp_path / "folder.pdf"))
    with pytest.raises(ExportError, match="the size 10x10 is outside 960x540 to 3840x2160"):
        export_story(telling, wish(tmp_path / "story.pdf", size=(10, 10)))
