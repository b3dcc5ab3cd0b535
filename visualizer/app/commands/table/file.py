"""The File menu: recordings in and out."""

from __future__ import annotations

from visualizer.app.commands.command import Command, with_history, with_recording
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
COMMANDS = (
    Command("file.open", mark("Open…"), mark("Open a recording."), "File", lambda w: w.files.ask_open(), ("Ctrl+O",)),
    Command(
        "file.attach",
        mark("Record your own kernel…"),
        mark("Run a program of yours, and record what the barriers of its kernels do."),
        "File",
        lambda w: w.attaching.ask(),
        ("Ctrl+N",),
    ),
    Command(
        "file.save",
        mark("Save…"),
        mark("Save this recording."),
        "File",
        lambda w: w.files.ask_save(),
        ("Ctrl+S",),
        with_recording,
    ),
    Command(
        "file.export",
        mark("Export…"),
        mark("Write this recording, or a part of it, for other tools, as a picture or as a page."),
        "File",
        lambda w: w.exports.ask(),
        ("Ctrl+E",),
        with_history,
    ),
    Command(
        "file.compare",
        mark("Compare with…"),
        mark("Show another recording beside this one, aligned by tile, and what differs."),
        "File",
        lambda w: w.comparing.ask(),
        ("Ctrl+Shift+O",),
        with_history,
    ),
    Command(
        "file.lesson",
        mark("Open the lesson"),
        mark("Open the recording that phasescope starts with."),
        "File",
        lambda w: w.files.open_lesson(),
    ),
    *(
        Command(
            f"file.{name}",
            title,
            words,
            "File",
            lambda w, name=name: w.files.open(shipped_recording(name)),
            submenu=mark("Recorded kernels"),
        )
        for name, title, words in _KERNELS
    ),
    Command(
        "file.clear_recent",
        mark("Clear recent files"),
        mark("Forget which files were open."),
        "File",
        lambda w: w.files.clear_recent(),
    ),
    Command(
        "file.quit", mark("Quit"), mark("Close phasescope."), "File", lambda w: w.close(), ("Ctrl+Q",), separated=True
    ),
)
