"""The Play menu: playing a recording, and running an experiment."""

from __future__ import annotations

from visualizer.app.commands.command import Command, with_recording
from visualizer.language import mark

COMMANDS = (
    Command(
        "play.toggle",
        mark("Play or pause"),
        mark("Play on from here, or pause."),
        "Play",
        lambda w: w.playback.toggle(),
        ("Space", "K"),
        with_recording,
        scope="timeline",
        checked=lambda w: w.playback.is_playing,
    ),
    Command("play.faster", mark("Faster"), mark("Play faster."), "Play", lambda w: w.playback.faster(), ("Ctrl+Up",)),
    Command("play.slower", mark("Slower"), mark("Play slower."), "Play", lambda w: w.playback.slower(), ("Ctrl+Down",)),
    Command(
        "play.run",
        mark("Run the experiment"),
        mark("Record what the experiment panel says."),
        "Play",
        lambda w: w.experiment.run(),
        ("Ctrl+R",),
        lambda w: not w.jobs.is_busy,
        separated=True,
    ),
    Command(
        "play.verify",
        mark("Verify the prediction"),
        mark("Run the predicted stage counts and show what they measure."),
        "Play",
        lambda w: w.verify_prediction(),
        (),
        with_recording,
    ),
    Command(
        "play.cancel",
        mark("Cancel"),
        mark("Stop recording or loading; the picture stays."),
        "Play",
        lambda w: w.cancel_work(),
        ("Esc",),
        lambda w: w.is_working,
    ),
)
