"""Chrome's trace event format (JSON): what chrome://tracing, the Perfetto UI and Speedscope open.

A CTA is a process, a lane a thread; phases, waits, reads and copies are a begin and an end each, single operations
instants, pending and tx counters, and releases flow arrows. Times are microseconds with all six decimals: nothing is
rounded. Not complete events ("X"): Perfetto rounds their length apart from their start, and drops what then overlaps.
Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.export.lane_tracks import Counter, Instants, Slices, flows, tracks
from visualizer.export.selection import Selection
from visualizer.export.writing import Writing, chunks
from visualizer.language import tr
from visualizer.recording.schema import PS_PER_US
from visualizer.views.timeline.lanes.text import own_name


def write_chrome_json(selection: Selection, writing: Writing) -> None:
    """The selection as one JSON object with `traceEvents`."""
    trace = selection.history.trace
    about = {"program": trace.meta.program, "ended": trace.meta.ending.kind, "recorded with": "phasescope"}
    writing.text(f'{{"displayTimeUnit":"ns","otherData":{json.dumps(about)},"traceEvents":[\n')
    threads: dict[str, tuple[int, int]] = {}
    for cta in sorted({lane.cta for lane in selection.lanes}):
        writing.text(_metadata("process_name", cta, 0, name=f"CTA {cta}"))
    for number, track in enumerate(tracks(selection), start=1):
        cta = track.lane.cta
        threads.setdefault(track.lane.key, (cta, number))
        recorded = {"recorded": own} if (own := own_name(track.lane)) else {}
        writing.text(_metadata("thread_name", cta, number, name=track.title, **recorded))
        writing.text(_metadata("thread_sort_index", cta, number, sort_index=number))
        _slices(writing, track.slices, cta, number)
        if track.instants is not None:
            _instants(writing, track.instants, cta, number)
        for counter in track.counters:
            _counter(writing, counter, f"{track.lane.title} {counter.name}", cta)
        writing.reached(number / (len(selection.lanes) + 1), tr("writing {name}", name=track.title))
    _flows(writing, selection, threads)
    # Every event above ends in a comma; this one, without a time of its own, does not.
    writing.text('{"ph":"M","name":"phasescope","pid":0,"tid":0,"args":{}}\n]}\n')


def _metadata(what: str, pid: int, tid: int, **args: object) -> str:
    return json.dumps({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": args}) + ",\n"


def _slices(writing: Writing, slices: Slices, pid: int, tid: int) -> None:
    place = f'"pid":{pid},"tid":{tid},"ts":%d.%06d'
    template = f'{{"ph":"B",{place},"name":%s,"args":{{"step":%d}}}},\n{{"ph":"E",{place}}},\n'
    _rows(writing, template, *_micro(slices.start), _texts(slices.texts, slices.text), slices.step, *_micro(slices.end))


def _instants(writing: Writing, instants: Instants, pid: int, tid: int) -> None:
    template = (
        f'{{"ph":"i","s":"t","pid":{pid},"tid":{tid},"ts":%d.%06d,"name":%s,"args":{{"step":%d,"amount":%d}}}},\n'
    )
    columns = (*_micro(instants.time), _texts(instants.texts, instants.text), instants.step, instants.amount)
    _rows(writing, template, *columns)


def _counter(writing: Writing, counter: Counter, name: str, pid: int) -> None:
    label = json.dumps(name).replace("%", "%%")  # it becomes part of a template
    template = f'{{"ph":"C","pid":{pid},"name":{label},"ts":%d.%06d,"args":{{"{counter.unit}":%d}}}},\n'
    _rows(writing, template, *_micro(counter.time), counter.value)


def _flows(writing: Writing, selection: Selection, threads: dict[str, tuple[int, int]]) -> None:
    trace, found = selection.history.trace, flows(selection)
    number = np.arange(len(found.source))
    barrier = [threads.get(row.name, (0, 0)) for row in trace.barriers]
    agent = [threads.get(row.name, (0, 0)) for row in trace.agents]
    for phase, bind, steps, column, places in (
        ("s", "", found.source, "barrier", barrier),
        ("f", ',"bp":"e"', found.target, "agent", agent),
    ):
        template = (
            f'{{"ph":"{phase}"{bind},"cat":"release","name":"releases","id":%d,"pid":%d,"tid":%d,"ts":%d.%06d}},\n'
        )
        place = np.array(places, np.int64).reshape(-1, 2)[trace.events[column][steps]]
        time = _micro(trace.events["time"][steps])
        _rows(writing, template, number, place[:, 0], place[:, 1], *time)


def _micro(ps: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Whole microseconds, and the picoseconds beyond them."""
    whole, rest = np.divmod(ps, PS_PER_US)
    return whole, rest


def _texts(texts: Sequence[str], codes: NDArray[np.int64]) -> NDArray[np.object_]:
    quoted: NDArray[np.object_] = np.array([json.dumps(text) for text in texts], object)[codes]
    return quoted


def _rows(writing: Writing, template: str, *columns: NDArray[np.generic]) -> None:
    """One line per row, filled from the columns; the loop runs inside map and zip, in C."""
    for chunk in chunks(len(columns[0])):
        lists = [column[chunk].tolist() for column in columns]
        writing.text("".join(map(template.__mod__, zip(*lists, strict=True))))
        if writing.cancelled():
            writing.reached(0, "")
