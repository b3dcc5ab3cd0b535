"""The View menu: what the timeline shows, and how everything looks."""

from __future__ import annotations

from collections.abc import Callable

from visualizer.app.commands.command import Command, On
from visualizer.app.panes.analysis import Analysis
from visualizer.app.settings.appearance import Appearance
from visualizer.app.settings.languages import Languages
from visualizer.app.window.commands.when import WITH_RECORDING
from visualizer.language import mark
from visualizer.views.timeline.timeline_widget import TimelineWidget


def _view(name: str, title: str, help_: str, run: Callable[[TimelineWidget], object], *keys: str) -> Command:
    return Command(f"view.{name}", title, help_, "View", On(TimelineWidget, run), keys, WITH_RECORDING)


COMMANDS = (
    _view("zoom_in", mark("Zoom in"), mark("Magnify time."), TimelineWidget.zoom_in, "W"),
    _view("zoom_out", mark("Zoom out"), mark("Show more time."), TimelineWidget.zoom_out, "S"),
    _view("pan_left", mark("Pan left"), mark("Move the view to earlier times."), TimelineWidget.pan_left, "A"),
    _view("pan_right", mark("Pan right"), mark("Move the view to later times."), TimelineWidget.pan_right, "D"),
    _view("fit_all", mark("Fit all"), mark("Show the whole recording."), TimelineWidget.fit_all, "Ctrl+0"),
    _view(
        "focus",
        mark("Centre, then fit the focus"),
        mark("Centre the focus; once more fits what it belongs to."),
        TimelineWidget.centre_or_fit_focus,
        "F",
    ),
    _view(
        "slice",
        mark("Zoom to the slice"),
        mark("Fit what the focus lies in: a wait, a read, a copy, a phase. A double click does the same."),
        TimelineWidget.zoom_to_slice,
        "X",
    ),
    _view(
        "undo_zoom",
        mark("Undo zoom"),
        mark("Return to the view before."),
        TimelineWidget.undo_zoom,
        "Backspace",
    ),
    Command(
        "view.critical_path",
        mark("Critical path"),
        mark("Mark in the timeline who held up the range in view."),
        "View",
        On(Analysis, Analysis.toggle_path),
        ("Ctrl+Shift+K",),
        WITH_RECORDING,
        checked=On(Analysis, lambda analysis: analysis.shows_path),
    ),
    Command(
        "view.dark",
        mark("Dark theme"),
        mark("Switch between the dark and the light theme."),
        "View",
        On(Appearance, Appearance.toggle_theme),
        ("Ctrl+T",),
        checked=On(Appearance, lambda appearance: appearance.theme.dark),
        separated=True,
    ),
    Command(
        "view.language",
        mark("In Chinese (中文)"),
        mark("Speak the other language, in the window and on a lecture's stage."),
        "View",
        On(Languages, Languages.toggle),
        ("Ctrl+Shift+L",),
    ),
    Command(
        "view.high_contrast",
        mark("High contrast"),
        mark("Switch the dark or the light theme to stronger contrast, and back."),
        "View",
        On(Appearance, Appearance.toggle_contrast),
        ("Ctrl+Shift+T",),
        checked=On(Appearance, lambda appearance: appearance.theme.high_contrast),
    ),
    Command(
        "view.reduced_motion",
        mark("Reduced motion"),
        mark("Let nothing move by itself: a lecture's passages play only when asked to, and no caret blinks."),
        "View",
        On(Appearance, Appearance.toggle_motion),
        checked=On(Appearance, lambda appearance: appearance.reduced_motion),
    ),
    Command(
        "view.larger",
        mark("Larger text"),
        mark("Enlarge everything, for a big room."),
        "View",
        On(Appearance, Appearance.larger),
        ("Ctrl+=", "Ctrl++"),
    ),
    Command(
        "view.smaller",
        mark("Smaller text"),
        mark("Make everything smaller again."),
        "View",
        On(Appearance, Appearance.smaller),
        ("Ctrl+-",),
    ),
)
