"""Every format there is, by the file name's ending, and the one function that writes a file in any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from visualizer.export.errors import ExportError
from visualizer.export.selection import Selection
from visualizer.export.writing import Look, Writing, written_whole
from visualizer.language import mark, tr
from visualizer.sources.progress import CancelCheck, Progress

MOST_BYTES = 2 << 30
"""Larger files open nowhere: browsers and spreadsheets give up well before."""

_UNITS = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3))


@dataclass(frozen=True, slots=True)
class Format:
    """`writer` is "module:function" below visualizer.export, imported when used: some need packages that are optional.

    `bytes_per_event` estimates a file's size; 0: the size does not follow the events. `most_steps` and `most_lanes`:
    what the format can show; 0: any number.
    """

    suffix: str
    title: str
    writer: str
    bytes_per_event: int = 0
    most_steps: int = 0
    most_lanes: int = 0
    is_picture: bool = False  # painted with Qt: has a theme and may show a step


FORMATS = {
    format_.suffix: format_
    for format_ in (
        Format(".pftrace", mark("Perfetto trace"), "perfetto:write_perfetto", 80),
        Format(".json", mark("Chrome trace (JSON)"), "chrome_json:write_chrome_json", 200),
        Format(".vcd", mark("Waveforms (VCD)"), "vcd:write_vcd", 33),
        Format(".csv", mark("Table of events (CSV)"), "tables:write_csv", 125),
        Format(".npz", mark("Columns for numpy, Parquet and data frames"), "tables:write_npz", 100),
        Format(".png", mark("Picture (PNG)"), "pictures_widget:write_png", is_picture=True),
        Format(".svg", mark("Drawing (SVG)"), "pictures_widget:write_svg", is_picture=True),
        Format(".pdf", mark("Document (PDF)"), "pictures_widget:write_pdf", is_picture=True),
        Format(".gif", mark("Animation (GIF)"), "animation_widget:write_gif", most_steps=400, is_picture=True),
        Format(".html", mark("Page to step through (HTML)"), "page:write_page", most_steps=5000, most_lanes=2000),
    )
}


def format_of(path: Path) -> Format:
    """The format that the file's name asks for; ExportError with the list of endings."""
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise ExportError(
            tr("{path}: no format has this ending; choose one of {endings}", path=path, endings=", ".join(FORMATS))
        )
    return found


def export(
    selection: Selection,
    path: Path,
    look: Look,
    progress: Progress = lambda fraction, what: None,
    cancelled: CancelCheck = lambda: False,
) -> int:
    """Write the selection to `path`, whole or not at all, in the format of its ending; the bytes written.

    Raises ExportError, and Cancelled. Pictures need a QGuiApplication.
    """
    format_ = format_of(path)
    _refuse_what_is_too_large(format_, selection, path)
    module, _, name = format_.writer.partition(":")
    write: Callable[[Selection, Writing], None] = getattr(import_module(f"visualizer.export.{module}"), name)
    with written_whole(path) as file:
        write(selection, Writing(file, progress, cancelled, look))
        return file.tell()


def expected_bytes(format_: Format, selection: Selection) -> int:
    """About how large the file will be; 0: its size does not follow the events."""
    return format_.bytes_per_event * selection.steps


def size_text(size: int) -> str:
    """ "29 kB", "1.2 MB", "3.4 GB"."""
    unit, scale = next(((unit, scale) for unit, scale in _UNITS if size >= scale), ("kB", 1e3))
    return f"{size / scale:.0f} kB" if unit == "kB" else f"{size / scale:.1f} {unit}"


def _refuse_what_is_too_large(format_: Format, selection: Selection, path: Path) -> None:
    steps = len(selection.rows)
    if format_.most_steps and steps > format_.most_steps:
        raise ExportError(
            tr(
                "{path}: {steps} steps are too many for this format, which takes up to {most}; choose a range such as"
                " --range {first}:{last}",
                path=path,
                steps=steps,
                most=format_.most_steps,
                first=selection.first,
                last=selection.first + format_.most_steps - 1,
            )
        )
    if format_.most_lanes and len(selection.lanes) > format_.most_lanes:
        raise ExportError(
            tr(
                "{path}: {lanes} lanes are too many for this format, which takes up to {most}; name some with --lanes,"
                ' such as --lanes "CTA0.*"',
                path=path,
                lanes=len(selection.lanes),
                most=format_.most_lanes,
            )
        )
    size = expected_bytes(format_, selection)
    if size > MOST_BYTES:
        fits = MOST_BYTES // format_.bytes_per_event
        raise ExportError(
            tr(
                "{path} would have about {size}, more than other tools open; choose a range such as"
                " --range {first}:{last}, or fewer --lanes",
                path=path,
                size=size_text(size),
                first=selection.first,
                last=selection.first + fits - 1,
            )
        )
