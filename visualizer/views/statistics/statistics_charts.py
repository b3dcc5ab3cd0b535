"""The charts of the Statistics pane: shares of time, distributions, and what went on over time. Pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visualizer.diagnosis.statistics.critical_path import CriticalPath
from visualizer.diagnosis.statistics.distribution import Distribution
from visualizer.diagnosis.statistics.occupancy import Occupancy
from visualizer.diagnosis.statistics.over_time import OverTime
from visualizer.diagnosis.statistics.shares import RoleShare
from visualizer.diagnosis.statistics.statistics import RingNumbers, Statistics
from visualizer.diagnosis.wording import duration, state_word
from visualizer.language import mark, tr
from visualizer.replay.stage_columns import StageState
from visualizer.views.charts.chart_model import (
    Axis,
    Boxes,
    Chart,
    Curve,
    byte_unit,
    floats,
    stacked,
    time_unit,
    with_unit,
)
from visualizer.views.charts.histogram_model import histogram, length_chart, stacked_histogram
from visualizer.views.charts.share_bars_model import Bar, Part, bars_chart
from visualizer.views.words.context import ROLE_TITLES

_LINKS = {
    "produce": ("producer", mark("produce")),
    "consume": ("consumer", mark("consume")),
    "copy": ("tma", mark("copy")),
    "wake": ("waiting", mark("wake up")),
    "other": ("running", mark("other")),
}
_FROM_THE_BOTTOM = (StageState.READING, StageState.FULL, StageState.FILLING, StageState.EMPTY)
"""What holds data lies below, so that the height of it can be read off the axis."""


def charts(found: Statistics) -> list[Chart]:
    """All charts, in the order they are shown; those that there is nothing for are left out."""
    rings = found.rings if len(found.rings) > 1 else ()
    shown = [*_shares(found, rings), *over_time_charts(found.over_time)]
    shown += [
        length_chart(tr("time per tile"), tr("tiles"), found.per_tile),
        _waits(found),
        length_chart(tr("copy latency"), tr("copies"), found.latency),
        _rates(tr("copy throughput"), found.throughput),
    ]
    for ring in rings:
        shown += [
            length_chart(tr("time per tile of {ring}", ring=ring.name), tr("tiles"), ring.per_tile),
            length_chart(tr("copy latency of {ring}", ring=ring.name), tr("copies"), ring.latency),
        ]
    if found.occupancy.lead:
        shown.append(_lead(found.occupancy))
    if found.ctas is not None:
        shown.append(length_chart(tr("time per tile of {n} CTAs", n=found.ctas.ctas), tr("CTAs"), found.ctas.per_tile))
    return shown


def over_time_charts(found: OverTime) -> list[Chart]:
    """Stages by state, and bytes in flight; none of a range of no length, or of what the recording has none of."""
    charts = []
    if found.stages.sum() > 0:
        charts.append(_stages_over_time(found))
    if len(found.edges) and found.bytes_most.max() > 0:
        charts.append(_bytes_in_flight(found))
    return charts


def _shares(found: Statistics, rings: Sequence[RingNumbers]) -> list[Chart]:
    of_roles = [_role_bar(role) for role in found.roles if role.has_shares]
    stages = [(tr("stages of {ring}", ring=ring.name), ring.occupancy) for ring in rings]
    stages = stages or [(tr("stages"), found.occupancy)]
    of_stages = [_stages_bar(title, occupancy) for title, occupancy in stages if occupancy.stages]
    of_path = [_path_bar(tr("critical path"), found.path)] if found.path.shares else []
    of_path += [
        _path_bar(tr("{share} of it, to {ring}", share=f"{ring.path_share:.0%}", ring=ring.name), ring.path)
        for ring in rings
        if ring.path.shares
    ]
    groups = (
        (tr("what each role did"), of_roles),
        (tr("state of the stages"), of_stages),
        (tr("critical path"), of_path),
    )
    return [bars_chart(title, bars) for title, bars in groups if bars]


def _stages_bar(title: str, occupancy: Occupancy) -> Bar:
    shares = zip(StageState, occupancy.states, strict=True)
    return Bar(title, tuple(Part(state.name.lower(), state_word(state.name.lower()), share) for state, share in shares))


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
    return Bar(tr(ROLE_TITLES[role.role]), tuple(part for part in parts if part.share > 0))


def _stages_over_time(found: OverTime) -> Chart:
    size, unit = time_unit(float(found.edges[-1]))
    edges = found.edges / size
    series = []
    for state, (low, high) in zip(
        _FROM_THE_BOTTOM, stacked([found.stages[state] for state in _FROM_THE_BOTTOM]), strict=True
    ):
        name = state.name.lower()
        series.append(Boxes(state_word(name), name, edges[:-1], edges[1:], low, high, outlined=False))
    held = found.stages[[StageState.FULL, StageState.READING]].sum(axis=0)
    caption = tr(
        "{full} stages full or being read on average, between {least} and {most}",
        full=f"{held.mean():.2f}",
        least=f"{held.min():.2f}",
        most=f"{held.max():.2f}",
    )
    return Chart(
        tr("stages over time"),
        caption,
        Axis(with_unit(tr("time"), unit)),
        Axis(tr("stages of a CTA"), whole=True),
        tuple(series),
    )


def _bytes_in_flight(found: OverTime) -> Chart:
    size, unit = time_unit(float(found.edges[-1]))
    most = float(found.bytes_most.max())
    amount, unit_of_bytes = byte_unit(most)
    edges = found.edges / size
    caption = tr(
        "{mean} {unit} on average, {most} {unit} at most, of all CTAs",
        mean=f"{found.bytes_mean.mean() / amount:.1f}",
        most=f"{most / amount:.1f}",
        unit=unit_of_bytes,
    )
    bottom = np.zeros(len(found.bytes_mean))
    series = (
        Boxes(tr("mean"), "filling", edges[:-1], edges[1:], bottom, found.bytes_mean / amount, outlined=False),
        Curve(tr("most"), "text", edges, found.bytes_most / amount, steps=True),
    )
    return Chart(
        tr("bytes in flight"),
        caption,
        Axis(with_unit(tr("time"), unit)),
        Axis(with_unit(tr("in flight"), unit_of_bytes)),
        series,
    )


def _waits(found: Statistics) -> Chart:
    """Of each cause its own distribution; together on one axis."""
    waits = found.waits
    causes = (
        ("waiting", tr("back-pressure"), waits.back_pressure),
        ("reading", tr("starved"), waits.starved),
        ("error", tr("other waits"), waits.other),
    )
    there = [cause for cause in causes if cause[2].count]
    said = [
        tr("{cause}: {n}, median {median}", cause=name, n=one.count, median=duration(one.median))
        for _, name, one in there
    ]
    return stacked_histogram(tr("lengths of blocked waits"), tr("blocked waits"), "\n".join(said), there)


def _rates(title: str, values: Distribution) -> Chart:
    caption = tr(
        "median {median} B/ns, 5% {p5}, 95% {p95}",
        median=f"{values.median:.1f}",
        p5=f"{values.p5:.1f}",
        p95=f"{values.p95:.1f}",
    )
    return histogram(title, caption, with_unit(tr("throughput"), "B/ns"), tr("copies"), values)


def _lead(occupancy: Occupancy) -> Chart:
    caption = tr(
        "{tiles} tiles ahead on average, {full} stages full or being read",
        tiles=f"{occupancy.mean_lead:.2f}",
        full=f"{occupancy.mean_full:.2f}",
    )
    ahead = np.arange(len(occupancy.lead), dtype=np.float64)
    shares = floats(occupancy.lead) * 100
    box = Boxes("", "filling", ahead - 0.4, ahead + 0.4, np.zeros(len(ahead)), shares)
    ticks = tuple((place, (f"{place:.0f}",)) for place in ahead.tolist())
    return Chart(
        tr("producer lead"),
        caption,
        Axis(tr("tiles ahead"), ticks),
        Axis(with_unit(tr("time"), "%")),
        (box,),
    )
