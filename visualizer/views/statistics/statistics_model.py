"""What the Statistics pane says of a Statistics: sentences, and lines that lead to events. Pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from visualizer.diagnosis.statistics.outliers import Outlier
from visualizer.diagnosis.statistics.statistics import Statistics
from visualizer.diagnosis.wording import duration, of_tile, sentence
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.views.words.context import stage_lane


def headline(found: Statistics) -> str:
    return tr("{fate}.", fate=sentence(found.bound.sentence))


def range_text(found: Statistics, duration_ps: int) -> str:
    """Which range the numbers are of."""
    if found.first <= 0 and found.last >= duration_ps:
        return tr("The whole recording, {length}", length=duration(duration_ps))
    return tr("{begin} to {end} of the recording", begin=duration(found.first), end=duration(found.last))


@dataclass(frozen=True, slots=True)
class Place:
    """A line of text that leads to an event."""

    text: str
    focus: Focus


def places(found: Statistics, history: History) -> list[Place]:
    """The slowest CTA, if there are several, then the outliers, each with where a click goes."""
    trace = history.trace
    listed = []
    if found.ctas is not None:
        text = tr(
            "slowest CTA: {cta}, {time} per tile",
            cta=found.ctas.slowest,
            time=duration(found.ctas.per_tile.most),
        )
        lane = trace.agents[int(trace.events["agent"][found.ctas.slowest_step])].name
        listed.append(Place(text, Focus(found.ctas.slowest_step, lane)))
    return listed + [Place(_outlier_text(one, trace), Focus(one.step, _lane(one, history))) for one in found.outliers]


def _outlier_text(one: Outlier, trace: Trace) -> str:
    took, median = duration(one.duration), duration(one.median)
    if one.kind == "tile":
        name = f"CTA{one.cta} " if trace.ctas > 1 else ""
        return tr("{cta}tile {tile} took {time}; median {median}", cta=name, tile=one.tile, time=took, median=median)
    if one.kind == "copy":
        return tr(
            "{agent}: copy{of_tile} took {time}; median {median}",
            agent=one.agent,
            of_tile=of_tile(one.tile),
            time=took,
            median=median,
        )
    return tr("{agent} waited {time}; median {median}", agent=one.agent, time=took, median=median)


def _lane(one: Outlier, history: History) -> str:
    """A tile is looked for in its stage's lane, all else in its agent's."""
    place = history.event_places.at(one.step)
    if one.kind == "tile" and place >= 0:
        return stage_lane(history, place)
    return history.trace.agents[int(history.trace.events["agent"][one.step])].name


def notes(found: Statistics) -> Sequence[str]:
    """What is missing from the lists, and what the recording cannot tell."""
    more = found.outlier_count - len(found.outliers)
    hidden = [tr("{n} more outliers are not listed.", n=more)] if more > 0 else []
    return [*hidden, *found.unknown]
