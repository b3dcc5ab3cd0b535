"""What the Statistics pane shows of a Statistics: bars of shares, histograms and lines of text. Pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from visualizer.diagnosis.statistics.critical_path import CriticalPath
from visualizer.diagnosis.statistics.distribution import Distribution
from visualizer.diagnosis.statistics.occupancy import Occupancy
from visualizer.diagnosis.statistics.outliers import Outlier
from visualizer.diagnosis.statistics.shares import RoleShare
from visualizer.diagnosis.statistics.statistics import Statistics
from visualizer.diagnosis.wording import duration, sentence
from visualizer.language import mark, tr
from visualizer.playback.focus import Focus
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.views.context import stage_lane

LEAST_SHOWN = 0.0005
"""Smaller shares are left out of a bar's text; the bar itself would be less than a pixel."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a bar: the theme's Paint it is drawn in, what it means, and its share, 0..1."""

    role: str
    label: str
    share: float


@dataclass(frozen=True, slots=True)
class Bar:
    """Shares of one thing that sum to 1."""

    title: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The shares in words: the bar's twin for screen readers."""
        shares = ", ".join(f"{part.label} {part.share:.1%}" for part in self.parts if part.share >= LEAST_SHOWN)
        return f"{self.title}: {shares}"


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in equal bins. `median` and `p95` are places along it, 0..1; `low` and `high` name its ends."""

    title: str
    counts: tuple[float, ...]
    low: str
    high: str
    caption: str
    median: float | None = None
    p95: float | None = None

    @property
    def text(self) -> str:
        return f"{self.title}: {self.caption}"


Chart = Bar | Histogram

_STATES = (("empty", mark("empty")), ("filling", mark("filling")), ("full", mark("full")), ("reading", mark("reading")))
_LINKS = {
    "produce": ("producer", mark("produce")),
    "consume": ("consumer", mark("consume")),
    "copy": ("tma", mark("copy")),
    "wake": ("waiting", mark("wake up")),
    "other": ("running", mark("other")),
}
_ROLES = {"producer": mark("producer"), "consumer": mark("consumers"), "other": mark("other warps")}


def headline(found: Statistics) -> str:
    return sentence(found.bound.sentence) + "."


def range_text(found: Statistics, duration_ps: int) -> str:
    """Which range the numbers are of."""
    if found.first <= 0 and found.last >= duration_ps:
        return tr("The whole recording, {length}", length=duration(duration_ps))
    return tr("{begin} to {end} of the recording", begin=duration(found.first), end=duration(found.last))


def charts(found: Statistics) -> list[Chart]:
    """All charts, in the order they are shown."""
    shown: list[Chart] = [_role_bar(role) for role in found.roles if role.has_shares]
    rings = found.rings if len(found.rings) > 1 else ()
    if rings:
        shown += [_stages_bar(tr("stages of {ring}", ring=ring.name), ring.occupancy) for ring in rings]
    elif found.occupancy.stages:
        shown.append(_stages_bar(tr("stages"), found.occupancy))
    if found.path.shares:
        shown.append(_path_bar(tr("critical path"), found.path))
    for ring in rings:
        if ring.path.shares:
            title = tr("{share} of it, to {ring}", share=f"{ring.path_share:.0%}", ring=ring.name)
            shown.append(_path_bar(title, ring.path))
    shown += [
        _times(tr("time per tile"), found.per_tile),
        _times(tr("copy latency"), found.latency),
        _rates(tr("copy throughput"), found.throughput),
    ]
    for ring in rings:
        shown += [
            _times(tr("time per tile of {ring}", ring=ring.name), ring.per_tile),
            _times(tr("copy latency of {ring}", ring=ring.name), ring.latency),
        ]
    if found.occupancy.lead:
        lead = found.occupancy.lead
        caption = tr(
            "{tiles} tiles ahead on average, {full} stages full or being read",
            tiles=f"{found.occupancy.mean_lead:.2f}",
            full=f"{found.occupancy.mean_full:.2f}",
        )
        shown.append(Histogram(tr("producer lead"), lead, "0", str(len(lead) - 1), caption))
    if found.ctas is not None:
        shown.append(_times(tr("time per tile of {n} CTAs", n=found.ctas.ctas), found.ctas.per_tile))
    return shown


def _stages_bar(title: str, occupancy: Occupancy) -> Bar:
    states = zip(_STATES, occupancy.states, strict=True)
    return Bar(title, tuple(Part(role, tr(label), share) for (role, label), share in states))


def _path_bar(title: str, path: CriticalPath) -> Bar:
    return Bar(title, tuple(Part(_LINKS[kind][0], tr(_LINKS[kind][1]), share) for kind, share in path.shares.items()))


def _role_bar(role: RoleShare) -> Bar:
    parts = (
        Part("running", tr("busy"), role.share(role.busy)),
        Part("waiting", tr("back-pressure"), role.share(role.back_pressure)),
        Part("waiting", tr("starved"), role.share(role.starved)),
        Part("error", tr("other waits"), role.share(role.other)),
        Part("phase_odd", tr("issue"), role.share(role.issue)),
    )
    return Bar(tr(_ROLES[role.role]), tuple(part for part in parts if part.share > 0))


def _times(title: str, values: Distribution) -> Histogram:
    if not values.count:
        return Histogram(title, (), "", "", tr("none in this range"))
    caption = tr(
        "median {median}, 5% {p5}, 95% {p95}, most {most}",
        median=_time(values.median),
        p5=_time(values.p5),
        p95=_time(values.p95),
        most=_time(values.most),
    )
    return _histogram(title, values, _time(values.edges[0]), _time(values.edges[-1]), caption)


def _rates(title: str, values: Distribution) -> Histogram:
    if not values.count:
        return Histogram(title, (), "", "", tr("none in this range"))
    caption = tr(
        "median {median} B/ns, 5% {p5}, 95% {p95}",
        median=f"{values.median:.1f}",
        p5=f"{values.p5:.1f}",
        p95=f"{values.p95:.1f}",
    )
    return _histogram(title, values, f"{values.edges[0]:.1f}", f"{values.edges[-1]:.1f}", caption)


def _histogram(title: str, values: Distribution, low: str, high: str, caption: str) -> Histogram:
    span = values.edges[-1] - values.edges[0]

    def place(value: float) -> float:
        return min(max((value - values.edges[0]) / span, 0.0), 1.0) if span else 0.5

    return Histogram(title, values.counts, low, high, caption, place(values.median), place(values.p95))


def _time(ps: float) -> str:
    return duration(round(ps))


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
            time=_time(found.ctas.per_tile.most),
        )
        lane = trace.agents[int(trace.events["agent"][found.ctas.slowest_step])].name
        listed.append(Place(text, Focus(found.ctas.slowest_step, lane)))
    return listed + [Place(_outlier_text(one, trace), Focus(one.step, _lane(one, history))) for one in found.outliers]


def _outlier_text(one: Outlier, trace: Trace) -> str:
    took, median = _time(one.duration), _time(one.median)
    if one.kind == "tile":
        name = f"CTA{one.cta} " if trace.ctas > 1 else ""
        return tr("{cta}tile {tile} took {time}; median {median}", cta=name, tile=one.tile, time=took, median=median)
    if one.kind == "copy":
        return tr(
            "{agent}: copy of tile {tile} took {time}; median {median}",
            agent=one.agent,
            tile=one.tile,
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
