"""The View menu: what the timeline shows, and how everything looks."""

from __future__ import annotations

from visualizer.app.commands.command import Command, Run, with_recording
from visualizer.language import mark


def _view(name: str, title: str, help_: str, run: Run, *keys: str) -> Command:
    return Command(f"view.{name}", title, help_, "View", run, keys, with_recording)


COMMANDS = (
    _view("zoom_in", mark("Zoom in"), mark("Magnify time."), lambda w: w.timeline.zoom_in(), "W"),
    _view("zoom_out", mark("Zoom out"), mark("Show more time."), lambda w: w.timeline.zoom_out(), "S"),
    _view("pan_left", mark("Pan left"), mark("Move the view to earlier times."), lambda w: w.timeline.pan_left(), "A"),
    _view("pan_right", mark("Pan right"), mark("Move the view to later times."), lambda w: w.timeline.pan_right(), "D"),
    _view("fit_all", mark("Fit all"), mark("Show the whole recording."), lambda w: w.timeline.fit_all(), "Ctrl+0"),
    _view(
        "focus",
        mark("Centre, then fit the focus"),
        mark("Centre the focus; once more fits what it belongs to."),
        lambda w: w.timeline.centre_or_fit_focus(),
        "F",
    ),
    _view(
        "slice",
        mark("Zoom to the slice"),
        mark("Fit what the focus lies in: a wait, a read, a copy, a phase. A double click does the same."),
        lambda w: w.timeline.zoom_to_slice(),
        "X",
    ),
    _view(
        "undo_zoom",
        mark("Undo zoom"),
        mark("Return to the view before."),
        lambda w: w.timeline.undo_zoom(),
        "Backspace",
    ),
    Command(
        "view.critical_path",
        mark("Critical path"),
        mark("Mark in the timeline who held up the range in view."),
        "View",
        lambda w: w.toggle_critical_path(),
        ("Ctrl+Shift+K",),
        with_recording,
        checked=lambda w: w.analysis.shows_path,
    ),
    Command(
        "view.dark",
        mark("Dark theme"),
        mark("Switch between the dark and the light theme."),
        "View",
        lambda w: w.appearance.toggle_theme(),
        ("Ctrl+T",),
        checked=lambda w: w.appearance.theme.dark,
        separated=True,
    ),
    Command(
        "view.language",
        mark("In Chinese (中文)"),
        mark("Speak the other language, in the window and on a lecture's stage."),
        "View",
        lambda w: w.languages.toggle(),
        ("Ctrl+Shift+L",),
    ),
    Command(
        "view.high_contrast",
        mark("High contrast"),
        mark("Switch the dark or the light theme to stronger contrast, and back."),
        "View",
        lambda w: w.appearance.toggle_contrast(),
        ("Ctrl+Shift+T",),
        checked=lambda w: w.appearance.theme.high_contrast,
    ),
    Command(
        "view.reduced_motion",
        mark("Reduced motion"),
        mark("Let nothing move by itself: a lecture's passages play only when asked to, and no caret blinks."),
        "View",
        lambda w: w.appearance.toggle_motion(),
        checked=lambda w: w.appearance.reduced_motion,
    ),
    Command(
        "view.larger",
        mark("Larger text"),
        mark("Enlarge everything, for a big room."),
        "View",
        lambda w: w.appearance.larger(),
        ("Ctrl+=", "Ctrl++"),
    ),
    Command(
        "view.smaller",
        mark("Smaller text"),
        mark("Make everything smaller again."),
        "View",
        lambda w: w.appearance.smaller(),
        ("Ctrl+-",),
    ),
)
