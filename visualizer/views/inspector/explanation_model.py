"""The words around an explanation: where we are, what to know about the time, how the run ended, what was lost."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.wording import ending_word
from visualizer.language import recorded, tr, trn
from visualizer.recording.schema import EventFlag, kind_name
from visualizer.recording.trace import Trace
from visualizer.views.tables.event_table_model import time_text
from visualizer.views.timeline.shapes.samples import make_sample_lane, sample_text


def heading_text(trace: Trace, step: int) -> str:
    """Where we are: "step 57 / 261   1.234 us   producer   wait_begin"."""
    event = trace.events[step]
    parts = [
        tr("step {step} / {last}", step=step, last=len(trace) - 1),
        time_text(int(event["time"])),
        trace.agents[int(event["agent"])].name,
        kind_name(int(event["kind"])),
    ]
    return "   ".join(parts)


def time_note(trace: Trace, step: int) -> str:
    """What to know about the event's time; "" for an event that was logged."""
    flags = int(trace.events["flags"][step])
    if flags & EventFlag.ESTIMATED:
        return tr("ESTIMATED: this time lies between two observations; hardware does not log this event.")
    if flags & EventFlag.DERIVED:
        return tr("DERIVED: hardware does not log this event; it follows from what the agents saw.")
    return ""


def probe_note(trace: Trace, step: int) -> str:
    """What a probe saw last of the event's barrier, and next; "" where it did not look."""
    event = trace.events[step]
    samples = make_sample_lane(trace, int(event["barrier"]))
    time = int(event["time"])
    row = int(np.searchsorted(samples.start, time, side="right"))
    texts = [sample_text(samples, int(samples.start[at])) for at in (row - 1, row) if 0 <= at < len(samples)]
    return "\n".join(texts)


def ending_text(trace: Trace) -> str:
    """How the run ended, if not by completing."""
    ending = trace.meta.ending
    if ending.kind == "completed":
        return ""
    if not ending.detail:
        return tr("⚠ This run ended in {ending}", ending=ending_word(ending.kind))
    return tr("⚠ This run ended in {ending}: {detail}", ending=ending_word(ending.kind), detail=recorded(ending.detail))


def lost_text(trace: Trace) -> str:
    """How many records the log could not keep, and a probe's, if any."""
    meta = trace.meta
    lines = []
    if meta.events_lost:
        dropped = tr("; {n} of them left out with the others", n=meta.events_dropped) if meta.events_dropped else ""
        if "unplaced" in meta.window:  # as it was asked for
            lines.append(tr("⚠ {n} events lost: only the last were kept{dropped}", n=meta.events_lost, dropped=dropped))
        else:
            lines.append(tr("⚠ {n} events lost: the log was too small{dropped}", n=meta.events_lost, dropped=dropped))
    runs = meta.source.get("probe", {}).get("runs_lost", 0)
    if runs:
        lines.append(
            trn(
                "⚠ {n} run of the probe's samples lost: it keeps a barrier's first {most}",
                "⚠ {n} runs of the probe's samples lost: it keeps a barrier's first {most}",
                runs,
                most=int(np.bincount(trace.samples["barrier"], minlength=1).max()),
            )
        )
    return "\n".join(lines)
