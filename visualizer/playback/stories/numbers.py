"""Fills a text's {placeholders} from the recording, so that no number in a story is typed and none can go stale.

{full[0].pending}   a barrier's phase, parity, pending, expected, tx, arrived
{producer.count}    an agent's cursor: index, phase, count; its activity, tile and the barrier it is at
{producer.V.index}  its cursor over one of several rings
{stage[0].state}    what a stage buffer holds: state, tile; of several rings {V.stage[0].state}
{V.full[0].phase}   the barrier that says full, or empty, of a ring's stage, whatever it is called
{event.amount}      the focused event: kind, agent, barrier, stage, tile, parity, amount, time, wait
{config.stages}     a parameter of the program, or tile_bytes, full_init, empty_init, shared_bytes, consumers
{run.events}        the whole run: see _RUN
{diagnosis.cause}   the first finding's verdict or cause, or the count of findings
{was full[0].tx}    the same just before the focused event
{other: run.events} the same of another recording of the chapter
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.report import Report
from visualizer.diagnosis.wording import duration
from visualizer.language import tr
from visualizer.playback.query.events import Events
from visualizer.playback.stories.errors import StoryError
from visualizer.programs.lesson_facts import lesson_facts
from visualizer.recording.schema import EventFlag
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document
from visualizer.replay.waits import Waits

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PARTS = re.compile(r"(?:(?P<other>[\w-]+):\s*)?(?P<was>was\s+)?(?P<name>.+)\.(?P<field>\w+)")


@dataclass(frozen=True, eq=False)
class Scene:
    """What placeholders refer to: a recording, a step of it, its diagnosis, and the chapter's other recordings."""

    history: History
    step: int
    report: Callable[[], Report]
    others: Callable[[str], Scene]


def placeholders(text: str) -> list[str]:
    """The placeholders of a text, in order, without their braces."""
    return _PLACEHOLDER.findall(text)


def fill(text: str, scene: Scene) -> str:
    """The text with its placeholders filled. StoryError names one that means nothing here."""
    return _PLACEHOLDER.sub(lambda match: str(_value(match[1], scene)), text)


def _value(placeholder: str, scene: Scene) -> object:
    match = _PARTS.fullmatch(placeholder.strip())
    if match is None:
        raise _unknown(placeholder, tr("write it as NAME.FIELD"))
    if match["other"]:
        scene = scene.others(match["other"])
    step = scene.step
    if match["was"]:
        if step == 0:
            raise _unknown(placeholder, tr("nothing was before the first event"))
        step -= 1
    name, field = match["name"], match["field"]
    if name == "run":
        return _look_up(placeholder, _RUN, field)(scene.history)
    if name == "config":
        return _config(placeholder, scene.history, field)
    if name == "diagnosis":
        return _look_up(placeholder, _DIAGNOSIS, field)(scene.report())
    document = step_document(scene.history, step)
    if name == "event":
        return _event(placeholder, scene.history, step, document["event"], field)
    things = _things(scene.history, document)
    if name in things:
        return _look_up(placeholder, things[name], field)
    among = [other for other in things if other.endswith(f".{name}")]
    if among:
        raise _unknown(placeholder, tr("say which: there are {names}", names=", ".join(among)))
    raise _unknown(placeholder, tr("the recording has nothing named {name}", name=repr(name)))


def _things(history: History, document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The facts of all that has a name, by name: barriers, agents, their cursors by ring, and stage buffers.

    What belongs to a ring has the ring's name before its own, and that of the CTA before both where there are several;
    where there is one ring only, it may be left out.
    """
    trace, structure = history.trace, history.structure
    barriers = {
        name: {**barrier, "arrived": barrier["expected"] - barrier["pending"]}
        for name, barrier in document["barriers"].items()
    }
    titles = dict(zip(barriers, history.barrier_titles, strict=True))
    things: dict[str, dict[str, Any]] = {**barriers, **{titles[name]: facts for name, facts in barriers.items()}}
    for (recorded, agent), title in zip(document["agents"].items(), history.agent_titles, strict=True):
        facts = {"activity": agent["state"], "tile": agent["tile"], "barrier": titles.get(agent["barrier"])}
        cursors = {trace.rings[0]: agent["cursor"], **agent.get("more_cursors", {})}
        for name in dict.fromkeys((recorded, title)):
            things[name] = {**facts, **(agent["cursor"] or {})}
            things |= {f"{name}.{ring}": cursor for ring, cursor in cursors.items() if ring and cursor}
    for place, held in enumerate(document["stages"]):
        ring, stage = structure.at(place)
        cta = f"CTA{ring.cta}." if trace.ctas > 1 else ""
        qualifiers = {f"{cta}{ring.name}." if ring.name else cta, *([cta] if len(structure.names) == 1 else [])}
        guards = {
            word: barriers[trace.barriers[rows[0]].name]
            for word, by_stage in (("full", ring.full), ("empty", ring.empty))
            if (rows := by_stage[stage : stage + 1] and by_stage[stage])
        }
        for name, facts in {"stage": held, **guards}.items():
            for qualifier in qualifiers:
                things.setdefault(f"{qualifier}{name}[{stage}]", facts)
    return things


def _event(placeholder: str, history: History, step: int, event: dict[str, Any], field: str) -> object:
    if field == "time":
        return duration(int(history.trace.events["time"][step]))
    if field == "wait":
        return duration(_waited(history, step))
    facts = {name: "-" if value is None else value for name, value in event.items() if name != "site"}
    facts["barrier"] = facts.pop("barrier_title")
    return _look_up(placeholder, facts, field)


def _waited(history: History, step: int) -> int:
    """ps that the wait ended by event `step` took; 0 if it is no end of a wait."""
    return max(int(Events(history).paired("waits", np.array([step]))[0]), 0)


def _config(placeholder: str, history: History, field: str) -> object:
    meta = history.trace.meta
    facts = lesson_facts(meta)
    return _look_up(placeholder, meta.config if facts is None else facts, field)


def _time_waiting(history: History, role: str) -> str:
    """Share of the run that agents of a role were blocked, as a percentage."""
    waits, time = _blocked_waits(history, role), history.trace.events["time"]
    blocked = int((time[waits.end] - time[waits.begin]).sum())
    whole = history.trace.duration_ps * history.structure.roles.count(role)
    return f"{blocked / whole:.0%}" if whole else "0%"


def _blocked_waits(history: History, role: str) -> Waits:
    """Those by agents of a role that passed, and had to wait before."""
    waits = history.waits
    of_role = np.array([known == role for known in history.structure.roles], bool)[waits.agent]
    return waits.keep(of_role & (waits.end >= 0) & (history.trace.events["flags"][waits.end] & EventFlag.BLOCKED != 0))


def _tiles(history: History) -> int:
    return int(history.trace.events["tile"].max(initial=-1)) + 1


_RUN: dict[str, Callable[[History], object]] = {
    "events": lambda history: len(history.trace),
    "duration": lambda history: duration(history.trace.duration_ps),
    "tiles": _tiles,
    "ctas": lambda history: history.trace.ctas,
    "stages": lambda history: history.trace.stages,
    "time_per_tile": lambda history: duration(history.trace.duration_ps // max(_tiles(history), 1)),
    "flips": lambda history: len(history.completion_steps),
    "producer_waiting": lambda history: _time_waiting(history, "producer"),
    "consumer_waiting": lambda history: _time_waiting(history, "consumer"),
    "producer_blocked": lambda history: len(_blocked_waits(history, "producer")),
    "consumer_blocked": lambda history: len(_blocked_waits(history, "consumer")),
    "ended": lambda history: history.trace.meta.ending.kind,
    "gpu": lambda history: history.trace.meta.source.get("gpu", "-"),
    "errors": lambda history: history.trace.meta.check.get("errors", "-"),
    "checked": lambda history: history.trace.meta.check.get("checked", "-"),
}
"""What {run.FIELD} can say of the whole recording."""

_DIAGNOSIS: dict[str, Callable[[Report], object]] = {
    "findings": lambda report: len(report.every),
    "verdict": lambda report: report.findings[0].verdict if report.findings else "-",
    "cause": lambda report: report.findings[0].cause if report.findings else "-",
    "ended": lambda report: report.ended,
}


def _look_up(placeholder: str, facts: dict[str, Any], field: str) -> Any:
    if field not in facts:
        raise _unknown(placeholder, tr("there are {fields}", fields=", ".join(facts)))
    return facts[field]


def _unknown(placeholder: str, why: str) -> StoryError:
    return StoryError(tr("the placeholder {name} means nothing: {why}", name="{" + placeholder + "}", why=why))
