"""Why a phase that everybody has arrived in does not complete: its bytes do not come out even."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.advice import expecting
from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.report import Advice, Planned
from visualizer.diagnosis.source_lines import line, site_at
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.wording import of_tile
from visualizer.language import tr
from visualizer.recording.schema import EventKind


def bytes_cause(outlook: Outlook, row: int) -> Cause:
    """All arrivals are in and the bytes do not come out even."""
    trace, events = outlook.trace, outlook.trace.events
    state, phase = outlook.barrier(row), outlook.open_phase(row)
    expects = [s for s in phase.arrivals if outlook.history.kinds[s] == EventKind.ARRIVE_EXPECT_TX]
    expects = sorted([*expects, *phase.bytes_expected])
    expected = int(events["amount"][expects].sum()) if expects else 0
    delivered = int(events["amount"][list(phase.bytes_landed)].sum()) if phase.bytes_landed else 0
    if state.tx < 0 and not expected:
        return _nobody_expected(outlook, row, delivered)
    first = expects[0] if expects else None
    if state.tx >= 0 and first is not None and (astray := _on_another_barrier(outlook, row, first)) is not None:
        return astray
    site = site_at(trace, first) if first is not None else None
    facts: dict[str, object] = {"barrier": outlook.history.barrier_title(row), "phase": state.phase, "site": line(site)}
    facts |= {"expected": expected, "delivered": delivered, "tx": state.tx}
    if state.tx < 0:
        sentence = tr(
            "The copies bring {delivered} bytes to phase #{phase} of {barrier}, which expects only {expected}: tx"
            " is {tx} and never exactly 0. Expect {delivered} bytes{site}.",
            **facts,
        )
    elif not delivered:
        tile = int(events["tile"][first]) if first is not None else -1
        sentence = tr(
            "{barrier} expects {expected} bytes for phase #{phase}, but the copy{of_tile} was never issued to"
            " it{astray}: no copy is in flight. Do not expect bytes for a tile that is not copied{site}.",
            of_tile=of_tile(tile),
            astray=_astray(outlook, row),
            **facts,
        )
    else:
        sentence = tr(
            "{barrier} expects {expected} bytes for phase #{phase}, the copies delivered {delivered} and none is in"
            " flight: {tx} bytes will never come. Expect {delivered} bytes, or issue the missing copy{site}.",
            **facts,
        )
    advice = expecting(trace, first, delivered) if first is not None and delivered else None
    armed_by = trace.agents[int(events["agent"][first])].name if first is not None else None
    return Cause(sentence, first, site, advice=advice, blamed=armed_by)


def _nobody_expected(outlook: Outlook, row: int, delivered: int) -> Cause:
    """Bytes came, and no arrival of the phase expects any."""
    trace, phase = outlook.trace, outlook.open_phase(row)
    issues = outlook.history.copies.issues.steps(row)
    issue = int(issues[0]) if len(issues) else None
    site = site_at(trace, issue) if issue is not None else None
    arrived = phase.arrivals[0] if phase.arrivals else None
    return Cause(
        tr(
            "{delivered} bytes came to {barrier} that nobody ever expected: its arrivals carry no expect_tx, so a"
            " phase completes before its bytes are in, and the bytes spoil the next. Use arrive.expect_tx{site}.",
            delivered=delivered,
            barrier=outlook.history.barrier_title(row),
            site=line(site),
        ),
        min(step for step in (issue, _first_arrival(outlook, row)) if step is not None),
        site,
        advice=expecting(trace, arrived, delivered) if arrived is not None else None,
    )


def _first_arrival(outlook: Outlook, row: int) -> int | None:
    arrivals = outlook.history.arrivals
    steps = arrivals.step[arrivals.barrier == row]
    return int(steps.min()) if len(steps) else None


def _on_another_barrier(outlook: Outlook, row: int, since: int) -> Cause | None:
    """A copy, issued since the phase was armed, into the stage of a full barrier that completes on another's."""
    trace, copies, structure = outlook.trace, outlook.history.copies, outlook.history.structure
    if structure.kinds[row] != "full" or structure.place_of[row] < 0:
        return None
    into = (copies.place == structure.place_of[row]) & (copies.barrier != row) & (copies.issued > since)
    into &= np.isin(copies.barrier, [r for r, kind in enumerate(structure.kinds) if kind == "full"])
    into &= structure.place_of[copies.barrier] != structure.place_of[row]
    if not into.any():
        return None
    copy = int(np.flatnonzero(into)[copies.issued[into].argmin()])
    step, tile, amount = int(copies.issued[copy]), int(copies.tile[copy]), int(copies.amount[copy])
    ring, stage = structure.at(int(structure.place_of[row]))
    agent, name = trace.agents[int(copies.agent[copy])].name, outlook.history.barrier_title(row)
    planned = Planned("copy_issue", trace.barriers[row].name, ring.name, stage, -1, amount, tile)
    return Cause(
        tr(
            "{agent} copies {bytes} bytes{of_tile} into the stage of {barrier}, but they complete on {other}: there"
            " they are too many, and {barrier} lacks them. Give the copy the barrier of its stage{site}.",
            agent=agent,
            bytes=amount,
            of_tile=of_tile(tile),
            barrier=name,
            other=outlook.history.barrier_title(int(copies.barrier[copy])),
            site=line(site_at(trace, step)),
        ),
        step,
        site_at(trace, step),
        advice=Advice(agent, (step,), (planned,), step),
        blamed=agent,
    )


def _astray(outlook: Outlook, row: int) -> str:
    """Another barrier of the CTA that got bytes nobody expected."""
    barriers = outlook.trace.barriers
    for other, barrier in enumerate(barriers):
        if other != row and barrier.cta == barriers[row].cta and outlook.barrier(other).tx < 0:
            return tr(
                "; {bytes} bytes that nobody expected came to {barrier}",
                bytes=-outlook.barrier(other).tx,
                barrier=outlook.history.barrier_title(other),
            )
    return ""
