"""Every command of the window. The one place where keys are bound; docs/commands.md is generated from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from visualizer.app.commands import Command, Registry, with_recording

if TYPE_CHECKING:
    from visualizer.app.main_window import MainWindow

Run = Callable[["MainWindow"], Any]


def _step(name: str, title: str, help_: str, run: Run, *keys: str, separated: bool = False) -> Command:
    return Command(f"step.{name}", title, help_, "Step", run, keys, with_recording, separated=separated)


def _view(name: str, title: str, help_: str, run: Run, *keys: str) -> Command:
    return Command(f"view.{name}", title, help_, "View", run, keys, with_recording)


_FILE = (
    Command("file.open", "Open…", "Open a recording.", "File", lambda w: w.files.ask_open(), ("Ctrl+O",)),
    Command(
        "file.save", "Save…", "Save this recording.", "File", lambda w: w.files.ask_save(), ("Ctrl+S",), with_recording
    ),
    Command(
        "file.lesson",
        "Open the lesson",
        "Open the recording that phasescope starts with.",
        "File",
        lambda w: w.files.open_lesson(),
    ),
    Command(
        "file.clear_recent",
        "Clear recent files",
        "Forget which files were open.",
        "File",
        lambda w: w.files.clear_recent(),
    ),
    Command("file.quit", "Quit", "Close phasescope.", "File", lambda w: w.close(), ("Ctrl+Q",), separated=True),
)

_STEP = (
    _step("next", "Next event", "Go one event on.", lambda w: w.navigator.next_event(), ".", "F10"),
    _step("previous", "Previous event", "Go one event back.", lambda w: w.navigator.previous_event(), ",", "Shift+F10"),
    _step(
        "next_transition",
        "Next transition of the lane",
        "Go to where the selected lane changes next.",
        lambda w: w.navigator.next_transition(),
        "Right",
        separated=True,
    ),
    _step(
        "previous_transition",
        "Previous transition of the lane",
        "Go back to where the selected lane changed last.",
        lambda w: w.navigator.previous_transition(),
        "Left",
    ),
    _step(
        "next_same_kind",
        "Next event of this kind",
        "Go to the selected lane's next event of the same kind, such as the next phase flip.",
        lambda w: w.navigator.next_same_kind(),
        "Shift+Right",
    ),
    _step(
        "previous_same_kind",
        "Previous event of this kind",
        "Go back to the selected lane's last event of the same kind.",
        lambda w: w.navigator.previous_same_kind(),
        "Shift+Left",
    ),
    _step(
        "next_any_lane",
        "Next transition of any lane",
        "Go to the next event and select the lane it belongs to.",
        lambda w: w.navigator.next_any_lane(),
        "Ctrl+Right",
    ),
    _step(
        "previous_any_lane",
        "Previous transition of any lane",
        "Go to the previous event and select the lane it belongs to.",
        lambda w: w.navigator.previous_any_lane(),
        "Ctrl+Left",
    ),
    _step(
        "next_phase",
        "Next phase completion",
        "Go to where a barrier flips next.",
        lambda w: w.navigator.next_phase(),
        "N",
        separated=True,
    ),
    _step(
        "previous_phase",
        "Previous phase completion",
        "Go back to where a barrier flipped last.",
        lambda w: w.navigator.previous_phase(),
        "Shift+N",
    ),
    _step("cause", "To the cause", "Go to what this event waited for.", lambda w: w.navigator.to_cause(), "["),
    _step("effect", "To the effect", "Go to what this event made possible.", lambda w: w.navigator.to_effect(), "]"),
    _step("first", "First event", "Go to the start.", lambda w: w.navigator.first(), "Home", separated=True),
    _step("last", "Last event", "Go to the end.", lambda w: w.navigator.last(), "End"),
    Command(
        "step.back",
        "Back to the last focus",
        "Return to where you were before.",
        "Step",
        lambda w: w.navigator.back(),
        ("Alt+Left",),
        lambda w: w.navigator.can_go_back,
        separated=True,
    ),
    Command(
        "step.forward",
        "Forward again",
        "Undo a return.",
        "Step",
        lambda w: w.navigator.forward(),
        ("Alt+Right",),
        lambda w: w.navigator.can_go_forward,
    ),
)

_PLAY = (
    Command(
        "play.toggle",
        "Play or pause",
        "Play on from here, or pause.",
        "Play",
        lambda w: w.playback.toggle(),
        ("Space", "K"),
        with_recording,
        scope="timeline",
        checked=lambda w: w.playback.is_playing,
    ),
    Command("play.faster", "Faster", "Play faster.", "Play", lambda w: w.playback.faster(), ("Ctrl+Up",)),
    Command("play.slower", "Slower", "Play slower.", "Play", lambda w: w.playback.slower(), ("Ctrl+Down",)),
    Command(
        "play.run",
        "Run the experiment",
        "Record what the experiment panel says.",
        "Play",
        lambda w: w.experiment.run(),
        ("Ctrl+R",),
        lambda w: not w.jobs.is_busy,
        separated=True,
    ),
    Command(
        "play.cancel",
        "Cancel",
        "Stop recording or loading; the picture stays.",
        "Play",
        lambda w: w.jobs.cancel(),
        ("Esc",),
        lambda w: w.jobs.is_busy,
    ),
)

_VIEW = (
    _view("zoom_in", "Zoom in", "Magnify time.", lambda w: w.timeline.zoom_in(), "W"),
    _view("zoom_out", "Zoom out", "Show more time.", lambda w: w.timeline.zoom_out(), "S"),
    _view("pan_left", "Pan left", "Move the view to earlier times.", lambda w: w.timeline.pan_left(), "A"),
    _view("pan_right", "Pan right", "Move the view to later times.", lambda w: w.timeline.pan_right(), "D"),
    _view("fit_all", "Fit all", "Show the whole recording.", lambda w: w.timeline.fit_all(), "Ctrl+0"),
    _view(
        "focus",
        "Centre, then fit the focus",
        "Centre the focus; once more fits what it belongs to.",
        lambda w: w.timeline.centre_or_fit_focus(),
        "F",
    ),
    _view("undo_zoom", "Undo zoom", "Return to the view before.", lambda w: w.timeline.undo_zoom(), "Backspace"),
    Command(
        "view.dark",
        "Dark theme",
        "Switch between the dark and the light theme.",
        "View",
        lambda w: w.appearance.toggle_theme(),
        ("Ctrl+T",),
        checked=lambda w: w.appearance.theme.dark,
        separated=True,
    ),
    Command(
        "view.larger",
        "Larger text",
        "Enlarge everything, for a big room.",
        "View",
        lambda w: w.appearance.larger(),
        ("Ctrl+=", "Ctrl++"),
    ),
    Command(
        "view.smaller",
        "Smaller text",
        "Make everything smaller again.",
        "View",
        lambda w: w.appearance.smaller(),
        ("Ctrl+-",),
    ),
)

_WINDOW = (
    Command(
        "window.full_screen",
        "Full screen",
        "Fill the screen, or go back to a window.",
        "Window",
        lambda w: w.toggle_full_screen(),
        ("F11",),
        checked=lambda w: w.isFullScreen(),
    ),
    Command(
        "window.reset_layout",
        "Reset the layout",
        "Put every pane back where it was at first.",
        "Window",
        lambda w: w.reset_layout(),
    ),
)

_HELP = (
    Command(
        "help.sheet",
        "Keys and commands",
        "Show every command with its keys.",
        "Help",
        lambda w: w.show_help(),
        ("F1", "?"),
    ),
    Command(
        "help.palette",
        "Find a command…",
        "Type a few letters of a command and run it.",
        "Help",
        lambda w: w.show_palette(),
        ("Ctrl+Shift+P",),
    ),
    Command(
        "help.about",
        "About phasescope",
        "Show the version and the recording's particulars.",
        "Help",
        lambda w: w.show_about(),
    ),
)

COMMANDS = Registry((*_FILE, *_STEP, *_PLAY, *_VIEW, *_WINDOW, *_HELP))
