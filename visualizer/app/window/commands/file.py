"""The File menu: recordings in and out."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow

from visualizer.app.commands.command import Command, On
from visualizer.app.files.comparing import Comparing
from visualizer.app.files.exports import Exports
from visualizer.app.files.files import Files
from visualizer.app.record.attaching import Attaching
from visualizer.app.window.commands.when import WITH_HISTORY, WITH_RECORDING
from visualizer.language import mark
from visualizer.resources import shipped_recording

_KERNELS = (
    (
        "multicast",
        mark("Open multicast"),
        mark("Open the recorded multicast: a cluster whose CTAs load for each other."),
    ),
    ("gemm", mark("Open gemm"), mark("Open the recorded GEMM: two consumer warpgroups share every tile.")),
    (
        "pingpong",
        mark("Open pingpong"),
        mark("Open the recorded ping-pong GEMM: two warpgroups multiply in turns."),
    ),
    (
        "attention",
        mark("Open attention"),
        mark("Open the recorded attention: rings of K and V, and turns to multiply."),
    ),
)


def _open(name: str) -> On[Files, None]:
    return On(Files, lambda files: files.open(shipped_recording(name)))


COMMANDS = (
    Command("file.open", mark("Open…"), mark("Open a recording."), "File", On(Files, Files.ask_open), ("Ctrl+O",)),
    Command(
        "file.attach",
        mark("Record your own kernel…"),
        mark("Run a program of yours, and record what the barriers of its kernels do."),
        "File",
        On(Attaching, Attaching.ask),
        ("Ctrl+N",),
    ),
    Command(
        "file.save",
        mark("Save…"),
        mark("Save this recording."),
        "File",
        On(Files, Files.ask_save),
        ("Ctrl+S",),
        WITH_RECORDING,
    ),
    Command(
        "file.export",
        mark("Export…"),
        mark("Write this recording, or a part of it, for other tools, as a picture or as a page."),
        "File",
        On(Exports, Exports.ask),
        ("Ctrl+E",),
        WITH_HISTORY,
    ),
    Command(
        "file.compare",
        mark("Compare with…"),
        mark("Show another recording beside this one, aligned by tile, and what differs."),
        "File",
        On(Comparing, Comparing.ask),
        ("Ctrl+Shift+O",),
        WITH_HISTORY,
    ),
    Command(
        "file.lesson",
        mark("Open the lesson"),
        mark("Open the recording that phasescope starts with."),
        "File",
        On(Files, Files.open_lesson),
    ),
    *(
        Command(
            f"file.{name}",
            title,
            words,
            "File",
            _open(name),
            submenu=mark("Recorded kernels"),
        )
        for name, title, words in _KERNELS
    ),
    Command(
        "file.clear_recent",
        mark("Clear recent files"),
        mark("Forget which files were open."),
        "File",
        On(Files, Files.clear_recent),
    ),
    Command(
        "file.quit",
        mark("Quit"),
        mark("Close phasescope."),
        "File",
        On(QMainWindow, QMainWindow.close),
        ("Ctrl+Q",),
        separated=True,
    ),
)
