"""The Step menu: every way the focus moves by itself, and back to where it was."""

from __future__ import annotations

from collections.abc import Callable

from visualizer.app.commands.command import Command, On
from visualizer.app.session.navigator import Navigator
from visualizer.app.window.commands.when import WITH_RECORDING
from visualizer.language import mark


def _step(
    name: str, title: str, help_: str, run: Callable[[Navigator], object], *keys: str, separated: bool = False
) -> Command:
    return Command(f"step.{name}", title, help_, "Step", On(Navigator, run), keys, WITH_RECORDING, separated=separated)


COMMANDS = (
    _step("next", mark("Next event"), mark("Go one event on."), Navigator.next_event, ".", "F10"),
    _step(
        "previous",
        mark("Previous event"),
        mark("Go one event back."),
        Navigator.previous_event,
        ",",
        "Shift+F10",
    ),
    _step(
        "next_transition",
        mark("Next transition of the lane"),
        mark("Go to where the selected lane changes next."),
        Navigator.next_transition,
        "Right",
        separated=True,
    ),
    _step(
        "previous_transition",
        mark("Previous transition of the lane"),
        mark("Go back to where the selected lane changed last."),
        Navigator.previous_transition,
        "Left",
    ),
    _step(
        "next_same_kind",
        mark("Next event of this kind"),
        mark("Go to the selected lane's next event of the same kind, such as the next phase flip."),
        Navigator.next_same_kind,
        "Shift+Right",
    ),
    _step(
        "previous_same_kind",
        mark("Previous event of this kind"),
        mark("Go back to the selected lane's last event of the same kind."),
        Navigator.previous_same_kind,
        "Shift+Left",
    ),
    _step(
        "next_any_lane",
        mark("Next transition of any lane"),
        mark("Go to the next event and select the lane it belongs to."),
        Navigator.next_any_lane,
        "Ctrl+Right",
    ),
    _step(
        "previous_any_lane",
        mark("Previous transition of any lane"),
        mark("Go to the previous event and select the lane it belongs to."),
        Navigator.previous_any_lane,
        "Ctrl+Left",
    ),
    _step(
        "next_tile",
        mark("Next tile of the lane"),
        mark("Go to the first event of the selected lane's next tile."),
        Navigator.next_tile,
        "T",
    ),
    _step(
        "previous_tile",
        mark("Previous tile of the lane"),
        mark("Go back to the first event of the selected lane's previous tile."),
        Navigator.previous_tile,
        "Shift+T",
    ),
    _step(
        "next_phase",
        mark("Next phase completion"),
        mark("Go to where a barrier flips next."),
        Navigator.next_phase,
        "N",
        separated=True,
    ),
    _step(
        "previous_phase",
        mark("Previous phase completion"),
        mark("Go back to where a barrier flipped last."),
        Navigator.previous_phase,
        "Shift+N",
    ),
    _step("cause", mark("To the cause"), mark("Go to what this event waited for."), Navigator.to_cause, "["),
    _step(
        "effect",
        mark("To the effect"),
        mark("Go to what this event made possible."),
        Navigator.to_effect,
        "]",
    ),
    _step("first", mark("First event"), mark("Go to the start."), Navigator.first, "Home", separated=True),
    _step("last", mark("Last event"), mark("Go to the end."), Navigator.last, "End"),
    Command(
        "step.back",
        mark("Back to the last focus"),
        mark("Return to where you were before."),
        "Step",
        On(Navigator, Navigator.back),
        ("Alt+Left",),
        On(Navigator, lambda navigator: navigator.can_go_back),
        separated=True,
    ),
    Command(
        "step.forward",
        mark("Forward again"),
        mark("Undo a return."),
        "Step",
        On(Navigator, Navigator.forward),
        ("Alt+Right",),
        On(Navigator, lambda navigator: navigator.can_go_forward),
    ),
)
