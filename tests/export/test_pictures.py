"""PNG, SVG, PDF and GIF, read back with Pillow, an XML parser and pypdf."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from pypdf import PdfReader
from PySide6.QtWidgets import QApplication

from visualizer.export.errors import ExportError
from visualizer.export.selection import select
from visualizer.export.timeline_picture_widget import MOST_LANES
from visualizer.export.writing import Look
from visualizer.replay.history import History
from visualizer.views.look.theme import load_theme

SVG = "{http://www.w3.org/2000/svg}"

pytestmark = pytest.mark.usefixtures("qapp")


def colours(image: Image.Image) -> dict[str, int]:
    """How many pixels have which colour."""
    pixels = np.asarray(image.convert("RGBX")).copy()
    pixels[..., 3] = 0
    values, counts = np.unique(pixels.view("<u4"), return_counts=True)
    return {"#" + int(v).to_bytes(4, "little")[:3].hex(): int(n) for v, n in zip(values, counts, strict=True)}


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_png_shows_the_states_in_the_themes_colours(recorded: History, write, name: str) -> None:
    with Image.open(write(recorded, ".png", look=Look(name))) as image:
        assert image.width == 3200
        seen = colours(image)
    theme = load_theme(name)
    for role in ("reading", "full", "filling", "waiting", "tma"):
        assert seen.get(theme.paint(role).fill, 0) > 500, role


def test_a_step_adds_its_cursor_and_its_values(recorded: History, write) -> None:
    accent = load_theme("light").accent
    with Image.open(write(recorded, ".png")) as image:
        plain = image.copy()
    with Image.open(write(recorded, ".png", look=Look(step=60))) as image:
        assert image.height > plain.height
        assert colours(image).get(accent, 0) > 1000
    assert accent not in colours(plain)


def test_a_range_fills_the_width(recorded: History, write) -> None:
    """The consumers read nearly all the time: more of a shorter stretch is one colour of a reading warp."""
    reading = load_theme("light").reading.fill
    with Image.open(write(recorded, ".png", "2us:3us", ["consumer.w1"])) as image:
        part = colours(image)[reading] / (image.width * image.height)
    with Image.open(write(recorded, ".png", "", ["consumer.w1"])) as image:
        assert part > colours(image)[reading] / (image.width * image.height)


def test_an_svg_has_every_lanes_name_and_box(recorded: History, write) -> None:
    root = ElementTree.parse(write(recorded, ".svg")).getroot()
    assert root.tag == f"{SVG}svg"
    texts = {"".join(element.itertext()).strip() for element in root.iter(f"{SVG}text")}
    assert {"producer", "consumer.w3", "tma", "stage[1]", "full[2]", "empty[0]"} <= texts
    assert "reads tile 3" in texts
    assert len(list(root.iter(f"{SVG}rect"))) > 100


def test_a_pdf_is_one_page_with_its_text(recorded: History, write) -> None:
    reader = PdfReader(write(recorded, ".pdf", "40:120"))
    assert len(reader.pages) == 1
    assert reader.metadata.title == "lesson"
    page = reader.pages[0]
    assert page.mediabox.width == pytest.approx(1600, abs=1)
    assert "producer" in page.extract_text()
    assert page.get_contents().get_data().count(b" re") > 20


def test_a_gif_has_a_frame_per_event(recorded: History, write) -> None:
    accent = load_theme("dark").accent
    with Image.open(write(recorded, ".gif", "60:65", look=Look("dark"))) as image:
        assert image.n_frames == 6
        frames = []
        for number in range(6):
            image.seek(number)
            assert image.info["duration"] == 800
            frames.append(np.asarray(image.convert("RGB")))
        assert image.info["loop"] == 0
    cursor = np.array(list(bytes.fromhex(accent[1:])))
    columns = [np.flatnonzero((frame == cursor).all(axis=2).sum(axis=0) > 200).mean() for frame in frames]
    assert columns == sorted(columns)
    assert columns[0] < columns[-1]


def test_a_gif_without_pillow_says_so(recorded: History, write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ExportError, match=r"GIF animations need the package Pillow.*phasescope\[export\]"):
        write(recorded, ".gif", "0:3")


def test_more_lanes_than_a_picture_holds_are_refused(recorded: History, write, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("visualizer.export.timeline_picture_widget.MOST_LANES", 3)
    with pytest.raises(ExportError, match="room for 3 lanes, and 14 are chosen; name some with --lanes"):
        write(recorded, ".svg")
    assert MOST_LANES * 60 < 32_767  # rows of an image


def test_a_hang_shows_the_wait_that_never_ends(write, qapp: QApplication) -> None:
    from visualizer.recording.file import load

    history = History(load(Path(__file__).parents[1] / "data" / "h200-faults" / "F06.pscope"))
    assert select(history).history.trace.meta.ending.kind != "completed"
    with Image.open(write(history, ".png")) as image:
        assert colours(image).get(load_theme("light").error.fill, 0) > 500
