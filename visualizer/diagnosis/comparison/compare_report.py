"""A Comparison as JSON and as text: the facts of `phasescope compare` and of the window's Compare pane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visualizer.diagnosis.arrived import arrived_of, cursor_text, landed_at
from visualizer.diagnosis.comparison.compare import AgentOrder, Comparison
from visualizer.diagnosis.comparison.compare_tiles import RingPair, TileTimes
from visualizer.diagnosis.wording import commas, duration, state_word
from visualizer.language import tr, trn
from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History, StageState
from visualizer.replay.step_document import event_document

_TILES_SHOWN = 12


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison; times in ps."""
    return {
        "same_order": comparison.same_order,
        "a": _recording(comparison.a.trace),
        "b": _recording(comparison.b.trace),
        "only_a": list(comparison.only_a),
        "only_b": list(comparison.only_b),
        "agents": [_agent(comparison, agent) for agent in comparison.agents],
        "tiles": _tiles(comparison.tiles),
        "rings": [
            {
                "name": ring.name,
                "stages_a": ring.stages_a or None,
                "stages_b": ring.stages_b or None,
                "tiles": _tiles(ring.tiles),
            }
            for ring in comparison.rings
        ],
    }


def _tiles(tiles: TileTimes) -> list[dict[str, int]]:
    columns = {
        "cta": tiles.cta,
        "tile": tiles.tile,
        "duration_a_ps": tiles.end_a - tiles.begin_a,
        "duration_b_ps": tiles.end_b - tiles.begin_b,
        "longer_ps": tiles.longer,
        "later_ps": tiles.later,
    }
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in values]


def comparison_text(comparison: Comparison) -> list[str]:
    """One fact a line."""
    lines = [*_order_lines(comparison)]
    tiles = comparison.tiles
    if comparison.has_rings:
        lines += [ring_text(ring) for ring in comparison.rings]
    if not len(tiles):
        return [*lines, tr("tiles: the recordings have none in common")]
    lines.append(
        tr(
            "tiles: {count} in both; at the median a tile takes {longer}, and the last ends {later}",
            count=len(tiles),
            longer=signed(int(np.median(tiles.longer)), tr("longer"), tr("shorter")),
            later=signed(int(tiles.later[np.argmax(tiles.end_a)]), tr("later"), tr("earlier")),
        )
    )
    most = np.argsort(-np.abs(tiles.longer), kind="stable")[:_TILES_SHOWN]
    longest = tiles.longest
    for row in np.sort(most).tolist():
        lines.append(
            tr(
                "  CTA {cta} tile {tile}: {a} and {b}, {longer}; ends {later}",
                cta=int(tiles.cta[row]),
                tile=int(tiles.tile[row]),
                a=duration(int(tiles.end_a[row] - tiles.begin_a[row]), longest),
                b=duration(int(tiles.end_b[row] - tiles.begin_b[row]), longest),
                longer=signed(int(tiles.longer[row]), tr("longer"), tr("shorter"), longest),
                later=signed(int(tiles.later[row]), tr("later"), tr("earlier"), longest),
            )
        )
    if len(tiles) > _TILES_SHOWN:
        rest = len(tiles) - _TILES_SHOWN
        lines.append(trn("  {n} more tile, in --json", "  {n} more tiles, in --json", rest))
    return lines


def ring_text(ring: RingPair) -> str:
    """One of several rings: that it has no partner, or what it takes on either side."""
    name = ring.name or tr("without a name")
    if ring.only:
        return tr("ring {name}: in {which} alone, so it is not compared", name=name, which=ring.only)
    stages = (
        trn("{n} stage in both", "{n} stages in both", ring.stages_a)
        if ring.stages_a == ring.stages_b
        else tr("{a} stages in a and {b} in b", a=ring.stages_a, b=ring.stages_b)
    )
    tiles = ring.tiles
    if not len(tiles):
        return tr("ring {name}: {stages}; no tile in both", name=name, stages=stages)
    return tr(
        "ring {name}: {stages}; {count} tiles in both; at the median a tile takes {longer}, and the last ends {later}",
        name=name,
        stages=stages,
        count=len(tiles),
        longer=signed(int(np.median(tiles.longer)), tr("longer"), tr("shorter")),
        later=signed(int(tiles.later[np.argmax(tiles.end_a)]), tr("later"), tr("earlier")),
    )


def difference_text(comparison: Comparison, agent: AgentOrder) -> str:
    """ "consumer.w1 differs at its event 12: in a wait_end full[1] tile 4 (step 60); in b nothing more"."""
    return tr(
        "{agent} differs at its event {index}: in a {a}; in b {b}",
        agent=agent.agent,
        index=agent.index,
        a=event_text(comparison.a, agent.step_a),
        b=event_text(comparison.b, agent.step_b),
    )


def signed(ps: int, more: str, less: str, longest: int | None = None) -> str:
    """ "12.20 µs longer", "300 ns shorter", "the same"; `longest` as of `duration`."""
    if ps == 0:
        return tr("the same")
    return tr("{time} {direction}", time=duration(abs(ps), longest), direction=more if ps > 0 else less)


def state_differences(comparison: Comparison, step_a: int, step_b: int) -> list[tuple[str, str, str]]:
    """What is not the same after the two steps: name, in a, in b. Barriers, stages and agents that both have."""
    states_a, states_b = (
        state_texts(history, step, comparison.barrier_names(history))
        for history, step in ((comparison.a, step_a), (comparison.b, step_b))
    )
    return [(name, a, states_b[name]) for name, a in states_a.items() if name in states_b and states_b[name] != a]


def state_texts(history: History, step: int, barriers: Sequence[str]) -> dict[str, str]:
    """The state after a step, a short text per barrier, stage and agent; `barriers`: what its barriers are called."""
    trace, state = history.trace, history.state_at(step)
    texts = {}
    for row, name in enumerate(barriers):
        parts = [tr("phase {phase}", phase=int(state.barrier_phase[row]))]
        parts.append(tr("arrived {arrived}", arrived=arrived_of(history.barrier_at(row, step))))
        if landed := landed_at(history, row, step).text:
            parts.append(tr("landed {landed}", landed=landed))
        texts[name] = commas(parts)
    for place, (held, tile) in enumerate(zip(state.stage_state.tolist(), state.stage_tile.tolist(), strict=True)):
        ring, stage = history.structure.at(place)
        name = f"{ring.name}.stage[{stage}]" if len(history.structure.names) > 1 else f"stage[{stage}]"
        name = f"CTA{ring.cta}.{name}" if trace.ctas > 1 else name
        texts[name] = state_word(StageState(held).name.lower()) + (tr(", tile {tile}", tile=tile) if tile >= 0 else "")
    further = {name: history.cursors_at(step, name) for name in trace.rings[1:]}
    for row, agent in enumerate(trace.agents):
        activity = state_word(AgentActivity(int(state.agent_activity[row])).name.lower())
        barrier_row = int(state.agent_barrier[row])
        waits_on = f" {barriers[barrier_row]}" if barrier_row >= 0 else ""
        said = [activity + waits_on]
        if state.cursor_index[row] >= 0:
            at = (int(column[row]) for column in (state.cursor_index, state.cursor_phase, state.cursor_count))
            said.append(tr("cursor at {cursor}", cursor=cursor_text(*at)))
        for name, cursors in further.items():
            if cursors[row, 0] >= 0:
                said.append(tr("in {ring} at {cursor}", ring=name, cursor=cursor_text(*cursors[row].tolist())))
        texts[agent.name] = tr("; ").join(said)
    return texts


def _order_lines(comparison: Comparison) -> list[str]:
    lines = [
        tr("only in {which}: {agents}", which=which, agents=", ".join(agents))
        for which, agents in (("a", comparison.only_a), ("b", comparison.only_b))
        if agents
    ]
    differing = comparison.differing
    if not differing:
        count = len(comparison.agents)
        return [*lines, trn("order: the same in {n} agent", "order: the same in all {n} agents", count)]
    lines.append(tr("order: differs in {count} of {all} agents", count=len(differing), all=len(comparison.agents)))
    return [*lines, *(f"  {difference_text(comparison, agent)}" for agent in differing)]


def _agent(comparison: Comparison, agent: AgentOrder) -> dict[str, Any]:
    first = None
    if agent.index is not None:
        first = {
            "index": agent.index,
            "a": _event(comparison.a, agent.step_a),
            "b": _event(comparison.b, agent.step_b),
        }
    return {
        "agent": agent.agent,
        "events_a": agent.events_a,
        "events_b": agent.events_b,
        "first_difference": first,
    }


def _event(history: History, step: int | None) -> dict[str, Any] | None:
    return None if step is None else {"step": step, **event_document(history, step)}


def event_text(history: History, step: int | None) -> str:
    """ "wait_end full[1] tile 4 parity 0 (step 60)"."""
    if step is None:
        return tr("nothing more")
    event = event_document(history, step)
    facts = [event["kind"], event["barrier_title"]]
    facts += [f"{name} {event[name]}" for name in ("tile", "parity") if event[name] is not None]
    if event["amount"]:
        facts.append(f"amount {event['amount']}")
    return " ".join(filter(None, facts)) + tr(" (step {step})", step=step)


def _recording(trace: Trace) -> dict[str, Any]:
    meta = trace.meta
    return {
        "program": meta.program,
        "steps": len(trace),
        "duration_ps": trace.duration_ps,
        "ended": meta.ending.kind,
        "ctas": trace.ctas,
        "stages": trace.stages,
    }
