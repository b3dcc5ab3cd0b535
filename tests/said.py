"""Everything that panes, tables and the command line say of a recording, as texts: to hold all of them to one rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

from visualizer.cli.show_text import step_text, table_text
from visualizer.cli.stats_text import statistics_text
from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_report import comparison_text, event_text, state_texts
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.report import Report
from visualizer.diagnosis.report_text import report_text
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document
from visualizer.replay.tile_table import tile_table
from visualizer.views.code.code_model import code_marks
from visualizer.views.diagnosis.chain_model import chain
from visualizer.views.diagnosis.diagnosis_model import folded_rows, headline
from visualizer.views.inspector.explanation_model import heading_text, probe_note
from visualizer.views.inspector.inspector_model import inspect, inspector_rows, run_text
from visualizer.views.inspector.range_model import range_sections
from visualizer.views.ring.memory_map_model import memory_map
from visualizer.views.ring.ring_model import ring
from visualizer.views.statistics import statistics_model
from visualizer.views.structure.structure_model import nodes
from visualizer.views.tables.barrier_table_model import BarrierRows
from visualizer.views.tables.event_table_model import COLUMNS as EVENT_COLUMNS
from visualizer.views.tables.event_table_model import cell_text
from visualizer.views.tables.tile_table_model import TileRows
from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.time.scale import fit
from visualizer.views.words.context import cta_at, rings_at


def said(history: History, steps: Iterable[int]) -> Iterator[str]:
    """Whatever is said of the recording as a whole, and of these steps; every sentence that explains one."""
    report, store, alike = diagnose(history), LaneStore(history), Comparison(history, history)
    yield from _of_the_whole(history, report, alike)
    yield from (explain(history, step) for step in range(history.steps))
    for step in steps:
        yield from _of_step(history, store, report, step)
        yield from state_texts(history, step, alike.barrier_names(history)).values()


def _of_the_whole(history: History, report: Report, alike: Comparison) -> Iterator[str]:
    trace = history.trace
    yield report_text(report)
    yield headline(report)
    yield run_text(history)
    yield from texts(folded_rows(trace, report))
    for finding in report.every:
        yield from texts(chain(trace, report, finding))
    found = statistics(find_facts(history))
    yield statistics_text(found, trace)
    yield statistics_model.headline(found)
    yield from texts((statistics_model.places(found, history), statistics_model.notes(found), range_sections(found)))
    for cta in range(trace.ctas):
        yield from texts(nodes(history, cta))
    table = tile_table(history)
    yield table_text([row.as_json() for row in table])
    yield from comparison_text(alike)


def _of_step(history: History, store: LaneStore, report: Report, step: int) -> Iterator[str]:
    trace = history.trace
    yield heading_text(trace, step)
    if history.trace.events["barrier"][step] >= 0:
        yield probe_note(trace, step)
    yield step_text({**step_document(history, step), "explanation": ""}, history)
    yield event_text(history, step)
    yield from (cell_text(history, step, column.key) for column in EVENT_COLUMNS)
    rows = inspector_rows(history, report)
    named = [agent.name for agent in trace.agents[-1:]] + [barrier.name for barrier in trace.barriers[-1:]]
    for lane in (None, *named):
        yield from texts(inspect(history, Focus(step, lane), report, rows))
    for name in rings_at(history, step) or [None]:
        picture = ring(history, step, report, name)
        yield picture.summary()
        yield from texts(picture)
    yield from texts(memory_map(history, step))
    for file in {site.file for site in trace.sites}:
        yield from texts(code_marks(history, step, file))
    state = history.state_at(step)
    yield from cells(BarrierRows(history, step))
    for name in rings_at(history, step):
        yield from cells(TileRows(history, cta_at(trace, step), name))
    view = fit(max(history.trace.duration_ps, 1), 400)
    at = view.pixel(int(trace.events["time"][step]))
    for lane in store.lanes:
        kind_of(lane).build(store, lane)
        yield kind_of(lane).value(store, state, lane).text
        yield from kind_of(lane).note(store, lane, view, at, 0.5)


def cells(table: BarrierRows | TileRows) -> Iterator[str]:
    for row in range(table.rows()):
        yield from (table.cell(row, column).text for column in range(len(table.columns)))


def texts(thing: object) -> Iterator[str]:
    """Every text in it, however deep."""
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, dict):
        yield from texts(tuple(thing.values()))
    elif isinstance(thing, tuple | list | frozenset):
        for part in thing:
            yield from texts(part)
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from texts(getattr(thing, field.name))
