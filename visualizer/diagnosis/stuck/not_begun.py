"""Why a launch hangs at its start, where no ring shows who is to begin: all wait for barriers that nobody has used."""

from __future__ import annotations

from visualizer.diagnosis.cause import Cause
from visualizer.diagnosis.source_lines import site_at
from visualizer.diagnosis.stuck.outlook import Outlook
from visualizer.diagnosis.wording import listed
from visualizer.language import tr


def not_begun_cause(outlook: Outlook, wait: int) -> Cause | None:
    """Agents that take turns of which nobody has the first, by the source's word for their waits; or at least, that one
    of those that wait must begin."""
    row = int(outlook.waits.barrier[wait])
    cta = outlook.trace.barriers[row].cta
    if outlook.program is not None:
        return None
    if row in outlook.unused and outlook.unused[row].kind == "order":
        turns = {agent: other for agent, other in outlook.blocked.items() if _waits_for_its_turn(outlook, other, cta)}
        if len({int(outlook.waits.barrier[other]) for other in turns.values()}) > 1:
            return _nobody_has_the_first_turn(outlook, wait, sorted(turns))
    return _nobody_has_begun(outlook, wait) if cta in outlook.first_waits.not_begun else None


def _waits_for_its_turn(outlook: Outlook, wait: int, cta: int) -> bool:
    row = int(outlook.waits.barrier[wait])
    return outlook.trace.barriers[row].cta == cta and outlook.kind(row) == "order"


def _nobody_has_the_first_turn(outlook: Outlook, wait: int, agents: list[int]) -> Cause:
    step = int(outlook.waits.begin[wait])
    return Cause(
        tr(
            "{agents} take turns, by the name of the method that waits, and nobody has the first: each waits with"
            " parity 0 on a barrier that is in its first phase. Who begins must wait with parity 1 at first.",
            agents=listed([outlook.trace.agents[agent].name for agent in agents]),
        ),
        step,
        site_at(outlook.trace, step),
        certain=False,
        rule="nobody-begins",
    )


def _nobody_has_begun(outlook: Outlook, wait: int) -> Cause:
    step = int(outlook.waits.begin[wait])
    return Cause(
        tr(
            "Nobody has begun: {barrier} has had no arrival, and neither has any other barrier that agents wait for"
            " beside it. One of them must begin, as a producer does: its stages are free at first, so that it starts"
            " inverted, with phase 1 (make_producer_start_state). Or an arrival before these waits is missing.",
            barrier=outlook.history.barrier_title(int(outlook.waits.barrier[wait])),
        ),
        step,
        site_at(outlook.trace, step),
        certain=False,
    )
