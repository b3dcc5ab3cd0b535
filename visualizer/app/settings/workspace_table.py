"""The workspaces as data: which panes a window shows for which purpose, and where.

Nothing is ever missing: a pane that a workspace does not open waits behind one that it does, and opens there.
"""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.language import mark


@dataclass(frozen=True, slots=True)
class Workspace:
    """Groups of panes: those of one group share a place. The first of a group is in front, and only those in `open` are
    open at first."""

    name: str
    title: str
    left: tuple[str, ...]
    """The group beside the timeline; empty: the timeline has the whole width."""
    bottom: tuple[tuple[str, ...], ...]
    """The groups below the timeline, from left to right."""
    open: frozenset[str]
    left_share: float
    bottom_share: float
    """Of the window's width and height."""


_TABLES = ("tiles", "events", "memory", "structure", "breakpoints", "notes")
_ABOUT_THE_FOCUS = ("inspector", "explanation", "barriers", "diagnosis")

WORKSPACES = {
    workspace.name: workspace
    for workspace in (
        Workspace(
            "look",
            mark("Look"),
            (),
            (("code", *_TABLES, "statistics", "predict", "experiment", "story"), ("ring",), _ABOUT_THE_FOCUS),
            frozenset({"code", "ring", "inspector"}),
            0.0,
            0.42,
        ),
        Workspace(
            "experiment",
            mark("Experiment"),
            ("experiment",),
            ((*_TABLES, "code", "story"), ("statistics", "predict", *_ABOUT_THE_FOCUS, "ring")),
            frozenset({"experiment", "tiles", "statistics", "predict"}),
            0.24,
            0.48,
        ),
        Workspace(
            "teach",
            mark("Teach"),
            ("story",),
            (("code", *_TABLES, "statistics", "predict", "experiment"), ("ring", *_ABOUT_THE_FOCUS)),
            frozenset({"story", "code", "ring"}),
            0.3,
            0.42,
        ),
    )
}
"""By name, in the order of the Window menu."""
