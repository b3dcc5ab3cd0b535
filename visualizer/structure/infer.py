"""The structure of a recording that tells none, inferred from what agents do; docs/structure.md tells how.

The CTAs of a kernel lay their barriers out alike. The busiest of such CTAs is looked at closely; the others share what
is found there if they do nothing that it does not do.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.recording.event_columns import EventColumns, event_columns
from visualizer.recording.tables import Agent, AgentRole, BarrierKind
from visualizer.recording.trace import Trace
from visualizer.semantics.shared_storage import BARRIER_BYTES, RANK_SHIFT
from visualizer.structure.cta_rings import CtaRings, find_rings
from visualizer.structure.facts import Tables, facts_of
from visualizer.structure.model import Ring, Structure, with_rings
from visualizer.structure.stacks import calls_of, confirm, distinct_names
from visualizer.structure.symbols import registered_names
from visualizer.structure.uses import Tally, Uses, tally, uses_of

Ints = NDArray[np.int64]
MOST_BARRIERS = 256
"""Of a CTA. Kernels have some dozens; more would take too long."""


@dataclass(frozen=True, eq=False)
class _Cta:
    """A CTA's barriers by address, and which uses of them there are at all."""

    cta: int
    rows: Ints
    acts: NDArray[np.int64]  # (barriers, slots, Action)
    first: Ints  # row of the first use of each


def infer(trace: Trace, columns: EventColumns | None = None) -> Structure:
    """What the events show. Told roles are kept; `unknown` says why where nothing is found.

    `columns`: the trace's, if they are read already.
    """
    columns = columns or event_columns(trace)
    addresses = barrier_addresses(trace)
    known = tally(columns) if trace.barriers else None
    if known is None:
        why = tr("the recording has too many barriers or agents") if trace.barriers else tr("it has no barriers")
        return _structure(trace, [], why)
    alike = defaultdict(list)
    for cta in _ctas(trace, known, addresses):
        layout = (tuple(addresses[cta.rows] - addresses[cta.rows[0]]), tuple(known.count[cta.rows]))
        alike[layout].append(cta)
    looks_like = [pair for ctas in alike.values() for pair in _examples(ctas)]
    examples = {example.cta: example for _, example in looks_like}
    found = _look_closely(columns, known, addresses, list(examples.values()))
    others = [cta for cta, example in looks_like if not _goes_round_alike(cta, example, found[example.cta])]
    found |= _look_closely(columns, known, addresses, others)
    by = {cta.cta: cta.cta if cta in others else example.cta for cta, example in looks_like}
    return _structure(
        trace,
        [(cta, found[by[cta.cta]], _same_part(trace, known, by[cta.cta], cta.cta)) for cta, _ in looks_like],
        tr("no barriers are used in turn in a way that shows a ring"),
    )


def barrier_addresses(trace: Trace) -> Ints:
    """Where each barrier lies in its CTA's shared memory, (barriers,): bytes; by its row where that is not known."""
    before: dict[int, int] = defaultdict(int)
    result: list[int] = []
    for barrier in trace.barriers:
        place = before[barrier.cta] * BARRIER_BYTES
        before[barrier.cta] += 1
        if barrier.address >= 0:
            place = barrier.address & ((1 << RANK_SHIFT) - 1)
        elif barrier.offset >= 0:
            place = barrier.offset
        result.append(place)
    return np.array(result, np.int64)


def _ctas(trace: Trace, known: Tally, addresses: Ints) -> list[_Cta]:
    rows_of = defaultdict(list)
    for row, barrier in enumerate(trace.barriers):
        rows_of[barrier.cta].append(row)
    ctas: list[_Cta] = []
    for cta, rows in sorted(rows_of.items()):
        if len(rows) <= MOST_BARRIERS:
            by_address = np.array(sorted(rows, key=lambda row: (addresses[row], row)), np.int64)
            ctas.append(_Cta(cta, by_address, known.acts[by_address], known.first[by_address]))
    return ctas


def _examples(ctas: list[_Cta]) -> list[tuple[_Cta, _Cta]]:
    """Each CTA with one that does all that it does, the busiest first."""
    examples: list[_Cta] = []
    result: list[tuple[_Cta, _Cta]] = []
    for cta in sorted(ctas, key=lambda cta: -int(cta.acts.sum())):
        does = cta.acts > 0
        example = next((example for example in examples if not (does & ~(example.acts > 0)).any()), None)
        if example is None:
            example = cta
            examples.append(cta)
        result.append((cta, example))
    return result


def _goes_round_alike(cta: _Cta, example: _Cta, found: CtaRings) -> bool:
    """Whether the CTA begins the stages of each ring in the order of the example, and uses them as evenly."""
    for ring in found.rings:
        for places in (*zip(*ring.full, strict=True), ring.empty):
            if not places:
                continue
            uneven, there = (np.ptp(one.acts[list(places)], axis=0) > 1 for one in (cta, example))
            begins = np.lexsort((example.first[list(places)], cta.first[list(places)]))  # unused ones as in the example
            if (uneven & ~there).any() or (begins != np.argsort(example.first[list(places)], kind="stable")).any():
                return False
    return True


def _look_closely(columns: EventColumns, known: Tally, addresses: Ints, examples: list[_Cta]) -> dict[int, CtaRings]:
    """What is found in each of the CTAs, by its number."""
    trace = columns.trace
    wanted = np.zeros(len(trace.barriers), bool)
    for example in examples:
        wanted[example.rows] = True
    if not examples:
        return {}
    uses = uses_of(columns, wanted)
    first_phase = np.array([barrier.first_phase for barrier in trace.barriers], np.int64)
    cta_of = trace.barrier_cta[uses.barrier]
    order = np.argsort(cta_of, kind="stable")
    cta_of = cta_of[order]
    found: dict[int, CtaRings] = {}
    calls = calls_of(trace.sites)
    lines = np.array([bool(site.stack) or not site.file.endswith(".ptx") for site in trace.sites], bool)
    tables = Tables(addresses, known.count, known.begun, first_phase, lines)
    for example in examples:
        of_it = order[slice(*np.searchsorted(cta_of, [example.cta, example.cta + 1]))]
        own = trace.agent_cta == example.cta
        facts = facts_of(_only(uses, of_it), example.rows, own, tables)
        found[example.cta] = confirm(facts, find_rings(facts), calls)
    return found


def _only(uses: Uses, rows: Ints) -> Uses:
    columns = (uses.barrier, uses.agent, uses.action, uses.parity, uses.site, uses.amount)
    return Uses(*(column[rows] for column in columns))  # type: ignore[arg-type]


def _same_part(trace: Trace, known: Tally, example: int, cta: int) -> dict[int, int]:
    """The agents of `cta` by those of the example that have their slots."""
    there = {int(known.slot[row]): row for row in np.flatnonzero(trace.agent_cta == cta).tolist()}
    here = np.flatnonzero(trace.agent_cta == example).tolist()
    return {row: there[slot] for row in here if (slot := int(known.slot[row])) in there}


def _structure(trace: Trace, found: list[tuple[_Cta, CtaRings, dict[int, int]]], unknown: str) -> Structure:
    addresses = barrier_addresses(trace)
    lie_at = {(cta.cta, ring): int(addresses[cta.rows[ring.full[0][0]]]) for cta, of, _ in found for ring in of.rings}
    names = {address: f"ring{number}" for number, address in enumerate(sorted(set(lie_at.values())))}
    names |= distinct_names({address: ring.named for (_, ring), address in lie_at.items() if ring.named[1]})
    stages = {lie_at[cta.cta, ring]: len(ring.full) for cta, of, _ in found for ring in of.rings}
    symbols = registered_names(trace.meta.source.get("symbols", []), stages)
    names |= {at: name for at, name in symbols.items() if name not in names.values()}
    roles: list[AgentRole] = [agent.role for agent in trace.agents]
    kinds: list[BarrierKind] = ["other"] * len(trace.barriers)
    turns: list[tuple[int, ...]] = []
    rings: list[Ring] = []
    for cta, of_cta, agent in sorted(found, key=lambda one: one[0].cta):
        rows = cta.rows.tolist()
        for place, kind in enumerate(of_cta.kinds(len(rows))):
            kinds[rows[place]] = kind
        turns += [tuple(rows[place] for place in turn) for turn in of_cta.turns]
        for example, role in of_cta.roles.items():
            if example in agent and _is_open(trace.agents[agent[example]]):
                roles[agent[example]] = role
        for ring in of_cta.rings:
            rings.append(
                Ring(
                    names[lie_at[cta.cta, ring]],
                    cta.cta,
                    tuple(tuple(rows[place] for place in stage) for stage in ring.full),
                    tuple((rows[place],) for place in ring.empty) or ((),) * len(ring.full),
                    tuple(sorted(agent[row] for row in ring.producers if row in agent)),
                    tuple(sorted(agent[row] for row in ring.consumers if row in agent)),
                    ring.confidence,
                    ring.why,
                )
            )
    nowhere = np.full(len(trace.barriers), -1, np.int32)
    return with_rings(
        Structure(
            (),
            tuple(names.values()),
            tuple(roles),
            tuple(kinds),
            nowhere,
            nowhere,
            "" if rings or turns else unknown,
            tuple(turns),
        ),
        rings,
    )


def _is_open(agent: Agent) -> bool:
    return agent.role == "other"
