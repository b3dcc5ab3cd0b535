"""The statistics of a recording as aligned text: the same facts as `--json`, for people."""

from __future__ import annotations

from visualizer.cli.show_text import aligned
from visualizer.diagnosis.statistics.critical_path import CriticalPath
from visualizer.diagnosis.statistics.distribution import Distribution
from visualizer.diagnosis.statistics.occupancy import Occupancy
from visualizer.diagnosis.statistics.statistics import CtaSpread, RingNumbers, Statistics
from visualizer.diagnosis.wording import commas, duration, sentence
from visualizer.language import mark, tr, trn
from visualizer.recording.trace import Trace
from visualizer.replay.stage_columns import StageState

Row = tuple[object, ...]
_LISTED = 5
_KINDS = {"tile": mark("tile"), "wait": mark("wait"), "copy": mark("copy")}


def _distribution_titles() -> Row:
    return ("", tr("count"), tr("least"), "5%", tr("median"), "95%", tr("most"), tr("mean"))


def statistics_text(found: Statistics, trace: Trace) -> str:
    """The bound in a sentence, then a table each; what the recording cannot tell comes last."""
    span = tr(
        "{first} to {last}, {ctas}",
        first=duration(found.first),
        last=duration(found.last),
        ctas=trn("{n} CTA", "{n} CTAs", trace.ctas),
    )
    rings = [_occupancy(found.occupancy)] if len(found.rings) < 2 else [_ring(ring) for ring in found.rings]
    times = [
        _distribution_titles(),
        *_times(found.per_tile, found.latency),
        _rates(tr("copy throughput"), found.throughput),
    ]
    copies = tr(
        "a copy was in flight {share:.1%} of the time; {bytes:,} bytes landed",
        share=found.engine_busy,
        bytes=found.landed_bytes,
    )
    bound = f"{span}\n{sentence(found.bound.sentence)}"
    parts = [bound, _roles(found), *rings, aligned(times), copies, _path(found.path)]
    if found.ctas is not None:
        parts.append(_across_ctas(found.ctas))
    if found.outliers:
        parts.append(_outliers(found))
    parts += [tr("note: {note}", note=text) for text in found.unknown]
    return "\n\n".join(parts)


def ring_text(ring: RingNumbers, found: Statistics) -> str:
    """All numbers of one of several rings."""
    return "\n\n".join(
        [
            tr("{first} to {last}", first=duration(found.first), last=duration(found.last)),
            _ring(ring),
            aligned(
                [
                    _distribution_titles(),
                    *_times(ring.per_tile, ring.latency),
                ]
            ),
            _path(ring.path),
        ]
    )


def _path(path: CriticalPath) -> str:
    return tr(
        "critical path: {shares}",
        shares=commas([f"{tr(name)} {share:.1%}" for name, share in path.shares.items()]) or tr("none"),
    )


def _roles(found: Statistics) -> str:
    """What each role's agents spent their time on; how many are stuck, where any is."""
    heads = (tr("role"), tr("agents"), tr("busy"), tr("back-pressure"), tr("starved"), tr("other waits"), tr("issue"))
    rows: list[Row] = [(*heads, tr("stuck")) if found.stuck else heads]
    for role in found.roles:
        shares = (role.busy, role.back_pressure, role.starved, role.other, role.issue)
        cells = (f"{role.share(part):.1%}" if role.has_shares else None for part in shares)
        rows.append((role.role, role.agents, *cells, *([role.stuck] if found.stuck else [])))
    return aligned(rows)


def _across_ctas(ctas: CtaSpread) -> str:
    spread = ctas.per_tile
    return tr(
        "across {ctas} CTAs: time per tile {p5} at 5%, {median} at the median, {p95} at 95%; the slowest is CTA"
        " {slowest} with {most}",
        ctas=ctas.ctas,
        p5=duration(spread.p5),
        median=duration(spread.median),
        p95=duration(spread.p95),
        slowest=ctas.slowest,
        most=duration(spread.most),
    )


def _outliers(found: Statistics) -> str:
    """The first of them, and how many more there are."""
    listed = found.outliers[:_LISTED]
    longest = max(one.duration for one in listed)
    rows: list[Row] = [(tr("outliers"), tr("step"), tr("agent"), "tile", tr("took"), tr("median"))]
    for one in listed:
        tile = one.tile if one.tile >= 0 else None
        took, median = duration(one.duration, longest), duration(one.median, longest)
        rows.append((tr(_KINDS[one.kind]), one.step, one.agent, tile, took, median))
    more = found.outlier_count - len(listed)
    return aligned(rows) + ("\n" + tr("and {n} more", n=more) if more else "")


def _ring(ring: RingNumbers) -> str:
    """One of several rings."""
    numbers = tr(
        "ring {name}: back-pressure {back:.1%} of the producers' time, starved {starved:.1%} of the consumers';"
        " {path:.1%} of the critical path leads to it; {bytes:,} bytes landed",
        name=ring.name,
        back=ring.back_pressure,
        starved=ring.starved,
        path=ring.path_share,
        bytes=ring.landed_bytes,
    )
    return f"{numbers}\n{_occupancy(ring.occupancy)}"


def _occupancy(occupancy: Occupancy) -> str:
    rows: list[Row] = [("stage", *(state.name.lower() for state in StageState))]
    rows += [(stage, *(f"{share:.1%}" for share in shares)) for stage, shares in enumerate(occupancy.stages)]
    if len(occupancy.stages) > 1:
        rows.append((tr("all"), *(f"{share:.1%}" for share in occupancy.states)))
    lead = commas([f"{tiles}: {share:.1%}" for tiles, share in enumerate(occupancy.lead)])
    mean = tr(
        "{full:.2f} stages full or being read on average; the producer was {tiles:.2f} tiles ahead ({lead})",
        full=occupancy.mean_full,
        tiles=occupancy.mean_lead,
        lead=lead,
    )
    return f"{aligned(rows)}\n{mean}"


def _times(per_tile: Distribution, latency: Distribution) -> list[Row]:
    """A row each, in one unit."""
    told = ((tr("time per tile"), per_tile), (tr("copy latency"), latency))
    longest = max((values.most for _, values in told if values.count), default=0)
    rows: list[Row] = []
    for name, values in told:
        numbers = (values.least, values.p5, values.median, values.p95, values.most, values.mean)
        rows.append((name, values.count, *(duration(n, longest) if values.count else None for n in numbers)))
    return rows


def _rates(name: str, values: Distribution) -> Row:
    numbers = (values.least, values.p5, values.median, values.p95, values.most, values.mean)
    return (name, values.count, *(f"{number:.1f} B/ns" if values.count else None for number in numbers))
