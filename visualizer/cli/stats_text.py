"""The statistics of a recording as aligned text: the same facts as `--json`, for people."""

from __future__ import annotations

from visualizer.cli.show_text import aligned
from visualizer.diagnosis.statistics.distribution import Distribution
from visualizer.diagnosis.statistics.shares import RoleShare
from visualizer.diagnosis.statistics.statistics import Statistics
from visualizer.diagnosis.wording import counted, duration, sentence
from visualizer.replay.stage_columns import StageState
from visualizer.trace.trace import Trace

Row = tuple[object, ...]
_LISTED = 5


def statistics_text(found: Statistics, trace: Trace) -> str:
    """The bound in a sentence, then a table each; what the recording cannot tell comes last."""
    parts = [
        f"{duration(found.first)} to {duration(found.last)}, {counted(trace.ctas, 'CTA')}\n"
        + sentence(found.bound.sentence),
        aligned(
            [("role", "agents", "busy", "back-pressure", "starved", "other waits", "issue"), *map(_role, found.roles)]
        ),
        _occupancy(found),
        aligned(
            [
                ("", "count", "least", "5%", "median", "95%", "most", "mean"),
                _times("time per tile", found.per_tile),
                _times("copy latency", found.latency),
                _rates("copy throughput", found.throughput),
            ]
        ),
        f"a copy was in flight {found.engine_busy:.1%} of the time; {found.landed_bytes:,} bytes landed",
        "critical path: " + (", ".join(f"{name} {share:.1%}" for name, share in found.path.shares.items()) or "none"),
    ]
    if found.ctas is not None:
        spread = found.ctas.per_tile
        parts.append(
            f"across {found.ctas.ctas} CTAs: time per tile {duration(round(spread.p5))} at 5%,"
            f" {duration(round(spread.median))} at the median, {duration(round(spread.p95))} at 95%;"
            f" the slowest is CTA {found.ctas.slowest} with {duration(round(spread.most))}"
        )
    if found.outliers:
        rows: list[Row] = [("outliers", "step", "agent", "tile", "took", "median")]
        rows += [
            (
                one.kind,
                one.step,
                one.agent,
                one.tile if one.tile >= 0 else None,
                duration(one.duration),
                duration(one.median),
            )
            for one in found.outliers[:_LISTED]
        ]
        more = found.outlier_count - len(found.outliers[:_LISTED])
        parts.append(aligned(rows) + (f"\nand {more} more" if more else ""))
    parts += [f"note: {text}" for text in found.unknown]
    return "\n\n".join(parts)


def _role(role: RoleShare) -> Row:
    shares = (role.busy, role.back_pressure, role.starved, role.other, role.issue)
    return (role.role, role.agents, *(f"{role.share(part):.1%}" for part in shares))


def _occupancy(found: Statistics) -> str:
    occupancy = found.occupancy
    rows: list[Row] = [("stage", *(state.name.lower() for state in StageState))]
    rows += [(stage, *(f"{share:.1%}" for share in shares)) for stage, shares in enumerate(occupancy.stages)]
    if len(occupancy.stages) > 1:
        rows.append(("all", *(f"{share:.1%}" for share in occupancy.states)))
    lead = ", ".join(f"{tiles}: {share:.1%}" for tiles, share in enumerate(occupancy.lead))
    return (
        f"{aligned(rows)}\n{occupancy.mean_full:.2f} stages full or being read on average;"
        f" the producer was {occupancy.mean_lead:.2f} tiles ahead ({lead})"
    )


def _times(name: str, values: Distribution) -> Row:
    if not values.count:
        return (name, 0)
    numbers = (values.least, values.p5, values.median, values.p95, values.most, values.mean)
    return (name, values.count, *(duration(round(number)) for number in numbers))


def _rates(name: str, values: Distribution) -> Row:
    if not values.count:
        return (name, 0)
    numbers = (values.least, values.p5, values.median, values.p95, values.most, values.mean)
    return (name, values.count, *(f"{number:.1f} B/ns" for number in numbers))
