"""Everything that is asked of a recording once it is open, one stage at a time, so that a report can say how far it
got. A stage ends well, or in one sentence of the kind that people are shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random

from tests.fuzz.outcome import Outcome
from tests.fuzz.outputs import check_output
from tests.fuzz.refusals import REFUSALS, check_words, command, refused_in_words
from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_report import comparison_json, comparison_text
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.predict.predict import predict
from visualizer.diagnosis.predict.verify import check_verifiable
from visualizer.diagnosis.report import Report, report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.diagnosis.trust.trust import trust_sentence
from visualizer.language import use
from visualizer.playback import navigate
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_lane, lane_steps
from visualizer.playback.stories.sources import source_of
from visualizer.recording.trace import Trace
from visualizer.replay.causality import Causality
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document
from visualizer.replay.tile_table import tile_table
from visualizer.views.code.code_model import code_marks, lines_with_sites, next_step_at_line, source_names
from visualizer.views.compare.compare_model import OrderRows, TileTimeRows
from visualizer.views.diagnosis.chain_model import chain
from visualizer.views.diagnosis.diagnosis_model import finding_rows, headline
from visualizer.views.inspector.explanation_model import ending_text, heading_text, lost_text, probe_note, time_note
from visualizer.views.ring.memory_map_model import memory_map
from visualizer.views.ring.ring_model import known_ring, ring, too_many
from visualizer.views.statistics.predict_charts import prediction_chart
from visualizer.views.statistics.predict_model import points, remarks, summary
from visualizer.views.statistics.statistics_charts import charts
from visualizer.views.statistics.statistics_model import headline as statistics_headline
from visualizer.views.statistics.statistics_model import notes, places, range_text
from visualizer.views.tables.barrier_table_model import BarrierRows
from visualizer.views.tables.cells import CellSource
from visualizer.views.tables.event_table_model import EventRows
from visualizer.views.tables.tile_table_model import TileRows
from visualizer.views.words.context import ring_at

FAST_EXPORTS = ("csv", "json", "vcd", "pftrace", "npz", "html")


@dataclass
class Asked:
    """One recording under questions."""

    trace: Trace
    history: History
    path: Path  # where it lies
    folder: Path  # where files may be written
    random: Random
    thorough: bool
    report: Report | None = None

    def steps(self) -> list[int]:
        """A few steps: the ends and some between."""
        last = self.history.steps - 1
        if last < 0:
            return []
        most = 12 if self.thorough else 4
        return sorted({0, last, *(self.random.randint(0, last) for _ in range(most))})


def stages(asked: Asked) -> Iterator[tuple[str, Callable[[], object]]]:
    """The stages, by name, in the order in which a person meets them."""
    yield "summary", lambda: _summary(asked)
    yield "states", lambda: _states(asked)
    yield "diagnosis", lambda: _diagnosis(asked)
    yield "statistics", lambda: _statistics(asked)
    yield "prediction", lambda: _prediction(asked)
    yield "tables", lambda: _tables(asked)
    yield "ring and memory", lambda: _ring_and_memory(asked)
    yield "navigation", lambda: _navigation(asked)
    yield "stories", lambda: {source_of(asked.trace, path, None).key for path in (asked.path, None)}
    yield "commands", lambda: _commands(asked)
    if asked.thorough:
        yield "comparison", lambda: _comparison(asked)
        yield "exports", lambda: _exports(asked)
        if find_spec("PySide6") is not None:
            yield "timeline", lambda: _timeline(asked)


def read_by(reader: Callable[[Path], Trace], path: Path, outcome: Outcome) -> Trace | None:
    """The recording in a file; None if it is refused in words, which `outcome` then tells."""
    try:
        return reader(path)
    except REFUSALS as error:
        check_words(str(error))
        outcome.refused = str(error).removeprefix(f"{path}: ")
        return None


def ask_everything(asked: Asked, outcome: Outcome) -> None:
    """Go through the stages, as many as come; what fails says in which. `outcome` tells how far it came."""
    for stage, ask in stages(asked):
        try:
            with refused_in_words():
                ask()
        except Exception as error:
            error.add_note(f"in {stage}")
            raise
        outcome.reached.append(stage)


def _summary(asked: Asked) -> None:
    trace = asked.trace
    trust_sentence(trace.meta)
    ending_text(trace)
    lost_text(trace)
    use("zh")
    try:
        ending_text(trace)
        trust_sentence(trace.meta)
    finally:
        use("en")


def _states(asked: Asked) -> None:
    for step in asked.steps():
        json.dumps(step_document(asked.history, step))
        explain(asked.history, step)
        heading_text(asked.trace, step)
        time_note(asked.trace, step)
        probe_note(asked.trace, step)


def _diagnosis(asked: Asked) -> None:
    asked.report = report = diagnose(asked.history)
    json.dumps(report_json(report))
    report_text(report)
    headline(report)
    for finding in report.findings[:20]:
        finding_rows(asked.trace, report)
        chain(asked.trace, report, finding)


def _statistics(asked: Asked) -> None:
    facts = find_facts(asked.history)
    duration = asked.trace.duration_ps
    ranges = [(0, duration)]
    for _ in range(6 if asked.thorough else 2):
        first = asked.random.randint(0, max(duration - 1, 0))
        ranges.append((first, asked.random.randint(first, duration)))
    for first, last in ranges:
        found = statistics(facts, first, last)
        json.dumps(found.as_json(), allow_nan=False)
        statistics_headline(found)
        range_text(found, duration)
        charts(found)
        places(found, asked.history)
        notes(found)


def _prediction(asked: Asked) -> None:
    facts = find_facts(asked.history)
    ring = asked.random.choice((None, *(ring.name for ring in facts.rings)))
    prediction = predict(facts, consumer_delay_ns=asked.random.choice((None, 0, 500)), ring=ring)
    json.dumps(prediction.as_json(), allow_nan=False)
    prediction_chart(points(prediction, None))
    summary(prediction)
    remarks(prediction, None)
    check_verifiable(asked.trace.meta, prediction)


def _tables(asked: Asked) -> None:
    trace, history = asked.trace, asked.history
    _read(EventRows(history))
    for cta in range(min(trace.ctas, 3)):
        json.dumps([row.as_json() for row in tile_table(history, cta)])
        _read(TileRows(history, cta))
    for step in asked.steps():
        _read(BarrierRows(history, step))
        code_marks(history, step, "")
    for name in source_names(trace)[:2]:
        for line in sorted(lines_with_sites(trace, name))[:3]:
            next_step_at_line(trace, name, line, 0)


def _read(rows: CellSource) -> None:
    count = rows.rows()
    for row in {0, count // 2, count - 1} & set(range(count)):
        for column in range(len(rows.columns)):
            rows.cell(row, column)


def _ring_and_memory(asked: Asked) -> None:
    for step in asked.steps():
        if not too_many([known_ring(asked.history, step, ring_at(asked.history, step))]):  # which the pane only says
            ring(asked.history, step, asked.report).summary()
        found = memory_map(asked.history, step)
        found.headline()
        _read(found)


def _navigation(asked: Asked) -> None:
    history, causality = asked.history, Causality(asked.history)
    for step in asked.steps():
        causality.links(step)
        causality.release_of(step)
        for lane in (None, home_lane(asked.trace, step), "stage[0]", "CTA0.stage[1]"):
            if lane is not None:
                lane_steps(history, lane)
            for direction in (-1, 1):
                for move in (navigate.event, navigate.transition, navigate.same_kind, navigate.tile):
                    move(history, Focus(step, lane), direction)
                navigate.phase_completion(history, Focus(step, lane), direction)
            navigate.cause(causality, Focus(step, lane))
            navigate.effect(causality, Focus(step, lane))


def _commands(asked: Asked) -> None:
    random = asked.random
    command(*random.choice(commands(asked.path)), *random.choice(((), ("--json",), ("--lang", "zh"))))


def commands(path: Path) -> tuple[tuple[str, ...], ...]:
    """Commands that tell something of a recording."""
    file = str(path)
    return (
        ("show", file),
        ("show", file, "--table"),
        ("show", file, "--step", "0"),
        ("show", file, "--find", "wait > 5 ns or tile == 1"),
        ("stats", file),
        ("predict", file),
        ("diagnose", file),
    )


def _comparison(asked: Asked) -> None:
    comparison = Comparison(asked.history, asked.history)
    json.dumps(comparison_json(comparison))
    comparison_text(comparison)
    _read(OrderRows(comparison))
    _read(TileTimeRows(comparison))


def _exports(asked: Asked) -> None:
    from visualizer.export.formats import export
    from visualizer.export.selection import select
    from visualizer.export.writing import Look

    for suffix in FAST_EXPORTS:
        with refused_in_words():
            path = asked.folder / f"exported.{suffix}"
            export(select(asked.history), path, Look())
            check_output(path)


def _timeline(asked: Asked) -> None:
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtWidgets import QApplication

    from visualizer.export.selection import select
    from visualizer.export.timeline_picture_widget import TimelinePicture
    from visualizer.views.look.theme import load_theme

    app = QApplication.instance() or QApplication([])  # that windows want too
    assert app is not None
    picture = TimelinePicture(select(asked.history), load_theme("light"), 900, with_step=True)
    image = QImage(900, min(picture.height, 3000), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    try:
        picture.paint(painter)
        for step in asked.steps()[:3]:
            picture.paint_step(painter, step)
    finally:
        painter.end()
