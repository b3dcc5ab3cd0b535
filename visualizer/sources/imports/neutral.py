"""Neutral events, which anyone's own logger can write: agent, time, kind, barrier, amount, parity, file, line - as CSV
with a header, or as JSON lines. A table that phasescope exported comes back the same way."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from visualizer.language import mark, tr
from visualizer.recording.quoting import quoted
from visualizer.recording.schema import EventFlag, EventKind, kind_name
from visualizer.recording.tables import without_cta
from visualizer.sources.errors import SourceError
from visualizer.sources.imports.reader import Imported, Reader, Text, at_line
from visualizer.sources.imports.rows import Rows

_KINDS = {kind_name(kind): kind for kind in EventKind}
_BY_HARDWARE = (EventKind.PHASE_COMPLETE, EventKind.COPY_DONE, EventKind.WORD_SAMPLE)
_BY_ENGINES = ((EventKind.COMPLETE_TX, "tma"), (EventKind.ARRIVE, "tensor_core"))
"""What a CTA's engines do, as recordings call them. An agent may complete bytes itself."""
_BEGIN = ("agent", "kind")
_TIMES = {"time": 1000, "time_ps": 1}
"""Columns of time, and how many picoseconds their unit has."""
_ONE_BY_DEFAULT = frozenset(
    {
        EventKind.ARRIVE,
        EventKind.ARRIVE_DROP,
        EventKind.TENSOR_COMMIT,
        EventKind.CP_ASYNC_ARRIVE,
        EventKind.CP_ASYNC_ARRIVE_NOINC,
    }
)
_MOST_DIGITS = 40


def _sniff_csv(head: str) -> bool:
    names = [name.strip() for name in head.partition("\n")[0].lstrip("\ufeff").split(",")]
    return {*_BEGIN} <= set(names) and any(name in names for name in _TIMES)


def _sniff_json(head: str) -> bool:
    first = next((line for line in head.lstrip("\ufeff").splitlines() if line.strip()), "")
    return first.lstrip().startswith("{") and all(f'"{name}"' in first for name in _BEGIN) and '"time' in first


def _read_csv(text: Text) -> Imported:
    def records() -> Iterator[tuple[int, Mapping[str, Any]]]:
        table = csv.reader((line + "\n" for _, line in text.lines()), strict=True)
        names: list[str] = []
        try:
            for fields in table:
                if not names:
                    names = [name.strip().lstrip("\ufeff") for name in fields]
                elif fields:
                    if len(fields) != len(names):
                        what = tr("it has {count} fields, and the header {names}", count=len(fields), names=len(names))
                        raise at_line(table.line_num, what)
                    yield table.line_num, dict(zip(names, fields, strict=True))
        except csv.Error as error:
            raise at_line(table.line_num, tr("it is no CSV ({error})", error=error)) from None

    return _imported(records())


def _read_json(text: Text) -> Imported:
    def records() -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, line in text.lines():
            if not line.strip():
                continue
            try:
                value = json.loads(line.lstrip("\ufeff"))
            except (ValueError, RecursionError) as error:
                raise at_line(number, tr("it is no JSON ({error})", error=error)) from None
            if not isinstance(value, dict):
                raise at_line(number, tr("it is no JSON object"))
            yield number, value

    return _imported(records())


def _imported(records: Iterator[tuple[int, Mapping[str, Any]]]) -> Imported:
    rows = Rows()
    by_hardware = 0
    for number, record in records:
        try:
            by_hardware += not add_event(rows, record)
        except SourceError as error:
            raise at_line(number, str(error)) from None
    notes = (f"{by_hardware} rows of what hardware does were left out and derived anew",) if by_hardware else ()
    return Imported(rows, notes=notes)


def add_event(rows: Rows, record: Mapping[str, Any]) -> bool:
    """Add the neutral event that `record` holds; False for one that hardware does, which is derived instead.
    SourceError, without the line, if it is none."""
    kind = _KINDS.get(_text(record, "kind"))
    if kind is None:
        raise SourceError(tr("there is no kind {kind!r}", kind=_text(record, "kind")[:80]))
    agent = _text(record, "agent")
    if kind in _BY_HARDWARE or (kind, without_cta(agent)) in _BY_ENGINES or _number(record, "derived"):
        return False
    for column, unit in _TIMES.items():
        if record.get(column) not in (None, ""):
            time = _picoseconds(record[column], unit)
            break
    else:
        raise SourceError(tr("it has no time"))
    site = -1
    file, line = _text(record, "file"), _number(record, "line", -1)
    op = _text(record, "op") or kind_name(kind)
    if (file and line > 0) or kind in (EventKind.RANGE_BEGIN, EventKind.RANGE_END):
        site = rows.site_of(file, max(line, 1), op)
    rows.add(
        agent,
        time,
        kind,
        _text(record, "barrier"),
        _number(record, "amount", 1 if kind in _ONE_BY_DEFAULT else 0),
        _number(record, "parity", -1),
        flags=EventFlag.BLOCKED if _number(record, "blocked") else 0,
        site=site,
        stage=_number(record, "stage", -1),
        tile=_number(record, "tile", -1),
    )
    return True


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SourceError(tr("{name} is {value}; it must be a text", name=name, value=quoted(value)))
    if value.isascii() or value.encode("utf-8", "replace").decode() == value:
        return value.strip()
    raise SourceError(tr("{name} is no Unicode text", name=name))


def _number(record: Mapping[str, Any], name: str, default: int = 0) -> int:
    value = record.get(name)
    if value is None or value == "":
        return default
    if isinstance(value, str) and len(value) <= _MOST_DIGITS:
        try:
            return int(value)
        except ValueError:
            pass
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise SourceError(tr("{name} is {value}; it must be a whole number", name=name, value=quoted(value)))


def _picoseconds(value: Any, unit: int) -> int:
    """A time as the file has it; exact, for clocks have more digits than a double."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > _MOST_DIGITS:
        raise SourceError(tr("{name} is {value}; it must be a number", name="time", value=quoted(value)))
    try:
        exact = Decimal(str(value).strip()) * unit
        if abs(exact) < 10**30:
            return int(exact.to_integral_value())
    except (InvalidOperation, ValueError):
        pass
    raise SourceError(tr("{name} is {value}; it must be a number", name="time", value=quoted(value)))


CSV = Reader("csv", mark("CSV of neutral events: a header with agent, time, kind, ..."), _sniff_csv, _read_csv)
JSON_LINES = Reader(
    "json-lines",
    mark('JSON lines of neutral events: {"agent": ..., "time": ..., "kind": ...}'),
    _sniff_json,
    _read_json,
)
