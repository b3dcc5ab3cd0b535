"""The Play menu: playing a recording, and running an experiment."""

from __future__ import annotations

from visualizer.app.commands.command import Command, On
from visualizer.app.panes.analysis import Analysis
from visualizer.app.record.running import Running
from visualizer.app.session.playback import Playback
from visualizer.app.window.commands.when import WITH_RECORDING
from visualizer.app.window.work import WindowWork
from visualizer.app.work.job import JobRunner
from visualizer.language import mark

COMMANDS = (
    Command(
        "play.toggle",
        mark("Play or pause"),
        mark("Play on from here, or pause."),
        "Play",
        On(Playback, Playback.toggle),
        ("Space", "K"),
        WITH_RECORDING,
        scope="timeline",
        checked=On(Playback, lambda playback: playback.is_playing),
    ),
    Command("play.faster", mark("Faster"), mark("Play faster."), "Play", On(Playback, Playback.faster), ("Ctrl+Up",)),
    Command("play.slower", mark("Slower"), mark("Play slower."), "Play", On(Playback, Playback.slower), ("Ctrl+Down",)),
    Command(
        "play.run",
        mark("Run the experiment"),
        mark("Record what the experiment panel says."),
        "Play",
        On(Running, Running.run_chosen),
        ("Ctrl+R",),
        On(JobRunner, lambda jobs: not jobs.is_busy),
        separated=True,
    ),
    Command(
        "play.verify",
        mark("Verify the prediction"),
        mark("Run the predicted stage counts and show what they measure."),
        "Play",
        On(Analysis, Analysis.verify),
        (),
        WITH_RECORDING,
    ),
    Command(
        "play.cancel",
        mark("Cancel"),
        mark("Stop recording or loading; the picture stays."),
        "Play",
        On(WindowWork, WindowWork.cancel),
        ("Esc",),
        On(WindowWork, lambda work: work.is_busy),
    ),
)
