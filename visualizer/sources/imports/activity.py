"""Ranges inside a kernel, as Triton Proton, IKET and other tools write them for Chrome and Perfetto: JSON of the Trace
Event Format. They become activity lanes. Barriers are known only where a range's arguments name them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from visualizer.language import mark, tr
from visualizer.recording.schema import PS_PER_US, EventFlag, EventKind
from visualizer.sources.errors import SourceError
from visualizer.sources.imports.names import LONGEST_NAME
from visualizer.sources.imports.neutral import add_event
from visualizer.sources.imports.reader import Imported, Reader, Text, at_line
from visualizer.sources.imports.rows import Rows

MOST_CHARACTERS = 192 << 20
"""Of JSON, which takes several times as much memory when it is read."""
_MOST_OPEN = 256
_CTA = re.compile(r"(?:CTA|block|cta)\s*[:=]?\s*(\d{1,7})")
_WARP = re.compile(r"warp\s*[:=]?\s*(\d{1,4})", re.IGNORECASE)
_WAIT = re.compile(r"(?:wait|acquire|(?:producer|consumer)[_ ](?:wait|acquire))(?![a-z])", re.IGNORECASE)
_SYNC = re.compile(r"(?:sync|syncthreads|__syncthreads|bar[._]sync|barrier[._]sync)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Range:
    """A stretch of one lane."""

    begin: int  # ps
    end: int
    name: str
    barrier: str
    parity: int


def _sniff(head: str) -> bool:
    start = head.lstrip("\ufeff \t\r\n")[:1]
    return start in ("{", "[") and ('"traceEvents"' in head or ('"ph"' in head and '"ts"' in head))


def _read(text: Text) -> Imported:
    if len(text.content) > MOST_CHARACTERS:
        raise SourceError(
            tr("it has {size} characters; JSON of at most {most} can be imported", size=len(text.content),
               most=MOST_CHARACTERS)
        )  # fmt: skip
    try:
        document = json.loads(text.content.lstrip("\ufeff"), parse_float=Decimal)
    except json.JSONDecodeError as error:
        raise at_line(error.lineno, tr("it is no JSON ({error})", error=error.msg)) from None
    except (ValueError, RecursionError) as error:
        raise SourceError(tr("it is no JSON ({error})", error=error)) from None
    text.tell(0.5)
    events = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(events, list):
        raise SourceError(tr("it has no list of traceEvents"))
    return _imported(text, events)


def _imported(text: Text, events: list[Any]) -> Imported:
    names = _lane_names(events)
    lanes: dict[str, list[_Range]] = defaultdict(list)
    open_: dict[str, list[_Range]] = defaultdict(list)
    rows, left_out, unended = Rows(), 0, 0
    for number, event in enumerate(events):
        if number % (1 << 14) == 0:
            text.tell(0.5 + 0.3 * number / len(events))
        if not isinstance(event, dict):
            raise _at(number, tr("it is no object"))
        phase = event.get("ph")
        if phase == "M":
            continue
        if phase not in ("X", "B", "E", "i", "I"):
            left_out += 1
            continue
        try:
            lane = names[_lane(event)]
            at = _time(event, "ts")
            if phase in ("i", "I"):
                if "kind" in (told := _arguments(event)):
                    add_event(rows, {**told, "agent": lane, "time_ps": at, "op": _name(event)})
                else:
                    lanes[lane].append(_Range(at, at, _name(event), "", -1))
            elif phase == "E":
                if not open_[lane]:
                    raise SourceError(tr("it ends a range that did not begin"))
                begun = open_[lane].pop()
                lanes[lane].append(_Range(begun.begin, at, begun.name, begun.barrier, begun.parity))
            else:
                made = _range(event, at, at + (_time(event, "dur") if phase == "X" else 0))
                if phase == "B" and len(open_[lane]) >= _MOST_OPEN:
                    raise SourceError(tr("more than {most} ranges are open at once", most=_MOST_OPEN))
                (lanes if phase == "X" else open_)[lane].append(made)
        except SourceError as error:
            raise _at(number, str(error)) from None
    last = max((one.end for lane in lanes.values() for one in lane), default=0)
    for lane, still in open_.items():
        unended += len(still)
        lanes[lane] += [_Range(one.begin, max(last, one.begin), one.name, one.barrier, one.parity) for one in still]
    for lane, ranges in lanes.items():
        _flatten(rows, lane, ranges)
    notes = ["ranges say what agents did, and nothing of barriers but what their arguments name"]
    if left_out:
        notes.append(f"{left_out} events that are no ranges or marks were left out")
    if unended:
        notes.append(f"{unended} ranges have no end; they are shown up to the last one's")
    return Imported(rows, notes=tuple(notes))


def _range(event: Mapping[str, Any], begin: int, end: int) -> _Range:
    if end < begin:
        raise SourceError(tr("it ends before it begins"))
    arguments = _arguments(event)
    barrier, parity = arguments.get("barrier", ""), arguments.get("parity", -1)
    # A wait of which only a part is told is a wait for something unknown.
    told = isinstance(barrier, str) and barrier != "" and parity in (0, 1) and not isinstance(parity, bool)
    return _Range(begin, end, _name(event), barrier if told else "", int(parity) if told else -1)


def _flatten(rows: Rows, lane: str, ranges: list[_Range]) -> None:
    """What an agent does at each time is the range that began last: one that goes on behind it begins once more. A mark
    is a range without length."""
    edges = [(one.begin, 1, -one.end, one) for one in ranges] + [(one.end, 0, -one.begin, one) for one in ranges]
    # What has no length ends right after its begin, behind the ends of those before it.
    edges += [(one.end, 2, 0, one) for one in ranges if one.begin == one.end]
    edges = [edge for edge in edges if edge[3].begin < edge[3].end or edge[1] != 0]
    open_: list[_Range] = []
    for time, what, _, one in sorted(edges, key=lambda edge: edge[:3]):
        on_top = open_[-1] if open_ else None
        if what == 1:
            if on_top is not None:
                _add(rows, lane, time, on_top, begins=False, derived=True)
            if len(open_) >= _MOST_OPEN:
                raise SourceError(tr("more than {most} ranges are open at once", most=_MOST_OPEN))
            open_.append(one)
            _add(rows, lane, time, one, begins=True)
            continue
        for place in range(len(open_) - 1, -1, -1):
            if open_[place] is one:
                del open_[place]
                break
        if on_top is one:
            _add(rows, lane, time, one, begins=False)
            if open_:
                _add(rows, lane, time, open_[-1], begins=True, derived=True)


def _add(rows: Rows, lane: str, time: int, one: _Range, *, begins: bool, derived: bool = False) -> None:
    kind = EventKind.RANGE_BEGIN
    if _WAIT.match(one.name):
        kind = EventKind.WAIT_BEGIN
    elif _SYNC.match(one.name):
        kind = EventKind.SYNC_BEGIN
    rows.add(
        lane,
        time,
        kind if begins else EventKind(kind + 1),
        one.barrier if kind == EventKind.WAIT_BEGIN else "",
        parity=one.parity if kind == EventKind.WAIT_BEGIN else -1,
        flags=EventFlag.DERIVED if derived else 0,
        site=rows.site_of("", 1, one.name),
    )


def _lane_names(events: list[Any]) -> Mapping[tuple[str, str], str]:
    """What each lane is called: by its CTA and warp where the names of process and thread tell them."""
    titles: dict[tuple[str, str, str], str] = {}
    for event in events:
        if isinstance(event, dict) and event.get("ph") == "M" and event.get("name") in ("process_name", "thread_name"):
            title = event.get("args", {}).get("name") if isinstance(event.get("args"), dict) else None
            if isinstance(title, str):
                process, thread = _lane(event)
                titles[event["name"], process, thread if event["name"] == "thread_name" else ""] = title
    return _Names(titles)


class _Names(dict[tuple[str, str], str]):
    """Lane to agent's name, each found once."""

    def __init__(self, titles: Mapping[tuple[str, str, str], str]) -> None:
        super().__init__()
        self._titles = titles

    def __missing__(self, lane: tuple[str, str]) -> str:
        process, thread = lane
        process = self._titles.get(("process_name", lane[0], ""), process)
        thread = self._titles.get(("thread_name", *lane), thread)
        cta, warp = _CTA.search(thread) or _CTA.search(process), _WARP.search(thread)
        name = f"warp{int(warp[1])}" if warp else f"{process} {thread}".strip()[:LONGEST_NAME]
        self[lane] = f"CTA{int(cta[1])}.{name}" if cta and warp else name
        return self[lane]


def _lane(event: Mapping[str, Any]) -> tuple[str, str]:
    return _label(event.get("pid", "")), _label(event.get("tid", ""))


def _label(value: Any) -> str:
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    return text[:LONGEST_NAME].encode("utf-8", "replace").decode()


def _name(event: Mapping[str, Any]) -> str:
    return _label(event.get("name", "")) or "?"


def _arguments(event: Mapping[str, Any]) -> dict[str, Any]:
    arguments = event.get("args")
    return arguments if isinstance(arguments, dict) else {}


def _time(event: Mapping[str, Any], key: str) -> int:
    """Microseconds of the file as ps, exactly."""
    value = event.get(key)
    if isinstance(value, int | Decimal | str) and not isinstance(value, bool) and len(str(value)) <= 40:
        try:
            exact = Decimal(value) * PS_PER_US
            if abs(exact) < 10**30:
                return int(exact.to_integral_value())
        except (InvalidOperation, ValueError):
            pass
    raise SourceError(tr("{name} is no number", name=key))


def _at(number: int, what: str) -> SourceError:
    return SourceError(
        tr("traceEvents[{number}]: {what}; docs/import.md says what is expected", number=number, what=what)
    )


ACTIVITY = Reader(
    "chrome",
    mark("JSON of the Trace Event Format: ranges inside a kernel, by Proton, IKET, Perfetto, Chrome"),
    _sniff,
    _read,
)
