"""Makes the pictures of the window in this folder, with the real window and no screen.

python docs/images/make.py: the lesson, dark and light, and a run that hangs.
python docs/images/make.py --diagnosis: what the Diagnosis pane says of three known mistakes.
python docs/images/make.py --probe: barriers as a probe saw them on an H200, and the slowest copy of a wider tile.
python docs/images/make.py --compare: the lesson beside, and under, the run with a slow consumer, dark and light.
python docs/images/make.py --access: high contrast, dark and light, and a scale of 200 %.
python docs/images/make.py --statistics: what bound a one-stage run, its critical path, and what more stages would give.
python docs/images/make.py --debugging: breakpoints, find, notes and a measurement.
python docs/images/make.py --chinese: a known mistake with its diagnosis, in Chinese.
python docs/images/make.py --lecture: the first step of every chapter on a sheet, a step and a question.
python docs/images/make.py --page: the lesson exported as a page, in a headless Chromium.
python docs/images/make.py --long FILE: a recording of 10 million events (benchmarks/long_trace.py), from far to near.
python docs/images/make.py --stranger: a kernel of which nothing is told: warps folded, one group unfolded, two rings.
python docs/images/make.py --gpu [FOLDER]: on a GPU machine, presses Run with the GPU as source.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import numpy as np  # noqa: E402
from PySide6.QtCore import QEventLoop, Qt, QTimer  # noqa: E402
from PySide6.QtGui import QImage, QPainter  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from benchmarks.stranger import stranger_records  # noqa: E402
from visualizer.app.lecture.still import Still  # noqa: E402
from visualizer.app.settings.settings import Settings  # noqa: E402
from visualizer.app.window.main_window import MainWindow  # noqa: E402
from visualizer.app.window.start import make_application  # noqa: E402
from visualizer.export.formats import export  # noqa: E402
from visualizer.export.selection import select  # noqa: E402
from visualizer.export.writing import Look  # noqa: E402
from visualizer.playback.focus import Focus  # noqa: E402
from visualizer.playback.opening import open_recording  # noqa: E402
from visualizer.playback.stories.load import load_story, story_path  # noqa: E402
from visualizer.playback.stories.presentation import Beat  # noqa: E402
from visualizer.playback.stories.telling import Telling  # noqa: E402
from visualizer.reconstruction.assemble import assemble_events  # noqa: E402
from visualizer.reconstruction.discover import discover  # noqa: E402
from visualizer.recording.file import save as write_trace  # noqa: E402
from visualizer.recording.schema import NO_SAMPLES, EventFlag, EventKind  # noqa: E402
from visualizer.recording.tables import Ending, Meta  # noqa: E402
from visualizer.recording.trace import Trace  # noqa: E402
from visualizer.replay.history import History  # noqa: E402
from visualizer.resources import resource_dir  # noqa: E402
from visualizer.semantics.word import decode  # noqa: E402
from visualizer.views.look.theme import load_theme  # noqa: E402
from visualizer.views.timeline.timeline_widget import TimelineWidget  # noqa: E402

SIZE = (1600, 1000)
STAGE = (1280, 720)
PAGE_SIZE = (1400, 1010)
SHEET_COLUMNS, SHEET_SHRINK = 3, 2
DIAGNOSES = (("F06", "baseline", "dark"), ("F20", "lesson", "light"), ("F28", "baseline", "dark"))
TIME_LIMIT_MS = 120_000
PROBE_SIZE = (1300, 620)
AT_REST_MS = 1500
DRAIN = HERE.parents[1] / "tests" / "data" / "h200-probe" / "drain.pscope"


def main(arguments: list[str]) -> int:
    application = make_application()
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(Path(scratch) / "settings.ini")
        settings.first_steps = False
        window = MainWindow(application, settings)
        window.resize(*SIZE)
        window.show()
        settle()
        window.workspaces.reset()  # the layout for this size, not for the small screen that Qt pretends to have
        if arguments[:1] == ["--gpu"]:
            record_on_gpu(window, Path(arguments[1]) if len(arguments) > 1 else HERE)
        elif arguments[:1] == ["--long"]:
            show_long(window, Path(arguments[1]))
        elif arguments[:1] == ["--stranger"]:
            show_stranger(window, Path(scratch))
        elif arguments[:1] == ["--diagnosis"]:
            show_diagnoses(window)
        elif arguments[:1] == ["--probe"]:
            show_probe(window, resource_dir("assets") / "traces" / "lesson-probe.pscope", "probe")
            show_probe(window, DRAIN, "probe-drain")
        elif arguments[:1] == ["--compare"]:
            show_comparison(window)
        elif arguments[:1] == ["--access"]:
            show_access(window)
        elif arguments[:1] == ["--statistics"]:
            show_statistics(window)
        elif arguments[:1] == ["--debugging"]:
            show_debugging(window)
        elif arguments[:1] == ["--chinese"]:
            show_chinese(window)
        elif arguments[:1] == ["--page"]:
            show_page(Path(scratch))
        elif arguments[:1] == ["--lecture"]:
            show_lecture()
        else:
            show_lesson(window)
        window.close()
    return 0


def show_lesson(window: MainWindow) -> None:
    wait_for_document(window, window.files.open_lesson)
    focus_blocked_wait(window)
    for theme in ("dark", "light"):
        window.appearance.set_theme(theme)
        save(window, HERE / f"window-{theme}.png")
    window.appearance.set_theme("dark")
    wait_for_document(window, lambda: window.running.break_it("F06"))
    window.messages.hide()
    save(window, HERE / "window-hang.png")


def show_chinese(window: MainWindow) -> None:
    """The producer that starts with parity 0; the language is switched while its diagnosis is shown."""
    window.appearance.set_theme("dark")
    window.experiment.fault.choose("F06")
    wait_for_document(window, window.experiment.run_button.click)
    window.languages.toggle()
    settle_until(lambda: not window.work.is_busy)
    save(window, HERE / "window-zh.png")


def show_statistics(window: MainWindow) -> None:
    """The one-stage run: everything on its critical path; then the prediction, verified."""
    wait_for_document(window, lambda: window.files.open(resource_dir("assets") / "traces" / "one-stage.pscope"))
    focus_blocked_wait(window)
    window.workspaces.go_to("experiment")
    window.docks["tiles"].hide()
    window.analysis.toggle_path()
    statistics, predict = window.panes["statistics"], window.panes["predict"]
    for theme in ("dark", "light"):
        window.appearance.set_theme(theme)
        settle_until(lambda: bool(statistics.charts.charts) and statistics.headline.isEnabled())
        save(window, HERE / f"statistics-{theme}.png")
    window.appearance.set_theme("dark")
    window.show_pane("predict")
    settle_until(lambda: predict.can_verify)
    window.analysis.verify()
    settle_until(lambda: "Measured" in predict.remarks.text())
    save(window, HERE / "predict-dark.png")


def show_long(window: MainWindow, path: Path) -> None:
    """The whole of it in compact lanes, a part, and single events of one CTA; the timeline has the window to itself."""
    wait_for_document(window, lambda: window.files.open(path))
    for dock in window.docks.all():
        dock.hide()
    settle_until(lambda: window.document is not None and window.document.read and not window.work.is_busy)
    timeline = window.timeline
    events = window.document.history.trace.events
    waits = (events["kind"] == EventKind.WAIT_END) & (events["agent"] == 0) & (events["flags"] & EventFlag.BLOCKED > 0)
    steps = waits.nonzero()[0]
    window.navigator.go_to(Focus(int(steps[len(steps) // 2]), "CTA0.producer"))
    timeline.toggle_all_folds()
    timeline.toggle_fold()  # only its CTA stays unfolded, not the one whose event is the recording's first
    for name, theme, zooms in (("whole", "dark", 0), ("part", "light", 11), ("events", "dark", 11)):
        window.appearance.set_theme(theme)
        if timeline.scene.compact is not (name == "whole"):
            timeline.toggle_compact()
        for _ in range(zooms):
            timeline.zoom_in()
        timeline.verticalScrollBar().setValue(0)
        settle_until(lambda: timeline.rests and not timeline.busy)
        save(window, HERE / f"timeline-{name}.png")


def show_page(folder: Path) -> None:
    """The lesson as a page at step 60."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("the picture of a page needs chromium or google-chrome on PATH")
    page = folder / "lesson.html"
    export(select(open_recording(resource_dir("assets") / "traces" / "lesson.pscope")), page, Look("light"))
    subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            f"--user-data-dir={folder / 'profile'}",
            "--window-size={},{}".format(*PAGE_SIZE),
            f"--screenshot={HERE / 'page.png'}",
            f"{page.as_uri()}#step=60",
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    print("page.png")


def show_stranger(window: MainWindow, folder: Path) -> None:
    """The focused wait of a folded warp, and another group unfolded; the timeline has the window to itself."""
    found = discover(stranger_records(8, 1))
    meta = Meta("stranger", {}, {}, Ending("completed"))
    trace = assemble_events(found.parts, found.agents, found.barriers, (), meta, {}, NO_SAMPLES)
    path = folder / "stranger.pscope"
    write_trace(trace, path)
    window.resize(1280, 860)
    wait_for_document(window, lambda: window.files.open(path))
    for dock in window.docks.all():
        dock.hide()
    window.navigator.go_to(Focus(0, "warpgroup1.consumer"))
    window.timeline.toggle_fold()
    window.navigator.go_to(Focus(len(trace) // 2))
    window.appearance.set_theme("dark")
    settle()
    save(window, HERE / "timeline-stranger.png")


def show_diagnoses(window: MainWindow) -> None:
    """The root cause of each mistake in focus, as a click on the first finding brings it."""
    for fault, program, theme in DIAGNOSES:
        window.appearance.set_theme(theme)
        panel = window.experiment
        panel.program.choose(program)
        panel.fault.choose(fault)
        wait_for_document(window, panel.run_button.click)
        window.show_pane("diagnosis")
        findings = window.panes["diagnosis"].findings
        findings.itemActivated.emit(findings.item(0))
        save(window, HERE / f"diagnosis-{fault}.png")


def show_probe(window: MainWindow, path: Path, name: str) -> None:
    """The timeline about the copy that the probe saw land in most steps, dark and light."""
    wait_for_document(window, lambda: window.files.open(path))
    assert window.document is not None
    trace = window.document.history.trace
    lane, _ = longest_drain(trace)
    trace = cta_alone(trace, trace.barriers[trace.barrier_index[lane]].cta)
    _, time = longest_drain(trace)
    step = int(np.searchsorted(trace.events["time"], time))
    timeline = TimelineWidget()
    timeline.resize(*PROBE_SIZE)
    timeline.show()
    settle()
    timeline.set_history(History(trace))
    timeline.set_focus(Focus(step, lane))
    timeline.centre_or_fit_focus()
    for theme in ("dark", "light"):
        timeline.set_theme(load_theme(theme))
        rest()
        timeline.grab().save(str(HERE / f"{name}-{theme}.png"))
        print(f"{name}-{theme}.png")
    timeline.close()


def longest_drain(trace: Trace) -> tuple[str, int]:
    """The barrier on which most runs of samples in a row have bytes outstanding, and when (ps) the first was seen."""
    samples = trace.samples
    parity, _, tx = decode(samples["word"])
    key = np.where(tx > 0, 2 * samples["barrier"].astype(np.int64) + parity, -1)
    first = np.flatnonzero(np.diff(key, prepend=-2) != 0)
    length = np.where(key[first] >= 0, np.diff(first, append=len(key)), 0)
    row = int(first[np.argmax(length)])
    return trace.barriers[int(samples["barrier"][row])].name, int(samples["begin"][row])


def cta_alone(trace: Trace, cta: int) -> Trace:
    """The part of a recording that one CTA made."""
    agents = np.flatnonzero(trace.agent_cta == cta)
    barriers = np.flatnonzero(trace.barrier_cta == cta)
    events = trace.events[np.isin(trace.events["agent"], agents)]
    samples = trace.samples[np.isin(trace.samples["barrier"], barriers)]
    events["agent"] -= agents[0]  # a CTA's rows follow each other
    events["barrier"] -= np.where(events["barrier"] >= 0, barriers[0], 0)
    samples["barrier"] -= barriers[0]
    start = int(events["time"][0])
    for column in (events["time"], events["measured"], samples["begin"], samples["end"]):
        column -= start
    own = [replace(agent, cta=0) for agent in trace.agents if agent.cta == cta]
    its = [replace(barrier, cta=0) for barrier in trace.barriers if barrier.cta == cta]
    return Trace(trace.meta, own, its, trace.sites, events, trace.source_files, samples)


def show_comparison(window: MainWindow) -> None:
    """At the moment in which tile 3 has arrived."""
    wait_for_document(window, window.files.open_lesson)
    other = HERE.parents[1] / "assets" / "traces" / "slow-consumer.pscope"
    loop = QEventLoop()
    window.comparing.jobs.succeeded.connect(loop.quit)
    QTimer.singleShot(TIME_LIMIT_MS, loop.quit)
    window.comparing.compare_with(other)
    loop.exec()
    window.navigator.go_to(Focus(66, "full[0]"))
    pane = window.comparing.pane
    pane.tabs.setCurrentWidget(pane.tiles)
    for name in ("compare", "compare-overlay"):
        if name == "compare-overlay":  # at tile 3 in both, with what came of the next two of a
            pane.show_overlay(True)
            pane.tiles.chosen.emit(3, 0)
            window.navigator.go_to(Focus(100, "producer"))
            scene = pane.overlay.timeline.scene
            scene.navigation.show(scene.overlay.at - 2_000_000 - scene.overlay.begin, 18_000_000 - scene.overlay.begin)
        for theme in ("dark", "light"):
            window.appearance.set_theme(theme)
            window.comparing.shown.resize(*SIZE)
            rest()
            window.comparing.shown.grab().save(str(HERE / f"{name}-{theme}.png"))
            print(f"{name}-{theme}.png")


def show_access(window: MainWindow) -> None:
    """The same recording as in the other pictures, for eyes that need more contrast or larger text."""
    wait_for_document(window, window.files.open_lesson)
    focus_blocked_wait(window)
    for theme in ("high-contrast-dark", "high-contrast-light"):
        window.appearance.set_theme(theme)
        save(window, HERE / f"access-{theme}.png")
    window.appearance.set_theme("light")
    window.appearance.set_scale(200)
    settle()
    window.workspaces.reset()
    save(window, HERE / "access-scale-200.png")


def show_debugging(window: MainWindow) -> None:
    """One recording, as somebody would read it: breakpoints in the dark theme, the rest in the light one."""
    recording = resource_dir("assets") / "traces" / "slow-consumer.pscope"
    wait_for_document(window, lambda: window.files.open(recording))
    window.appearance.set_theme("dark")
    for query in ('barrier == "full[1]" and kind == phase_complete', "wait > 500 ns and role == producer"):
        window.breakpoints.add(query)
    window.breakpoints.add("stage.overwritten_unread")
    window.navigator.go_to(Focus(60, "full[1]"))
    window.show_pane("breakpoints")
    breakpoints = window.panes["breakpoints"].list
    breakpoints.setCurrentItem(breakpoints.topLevelItem(0))
    window.breakpoints.next_hit()
    save(window, HERE / "debug-breakpoints.png")
    window.appearance.set_theme("light")
    window.breakpoints.remove_all()
    window.find_bar.open_bar()
    window.find_bar.line.setText("kind == wait_end and blocked")
    window.find_bar.next()
    save(window, HERE / "debug-find.png")
    window.find_bar.close_bar()
    notes = window.noting
    for number, step in ((1, 30), (2, 200)):
        window.navigator.go_to(Focus(step, "producer"))
        notes.set_bookmark(number)
    window.navigator.go_to(Focus(55, "full[0]"))
    notes.toggle_mark()
    notes.set_text(notes.notes.at(55), "the pipeline is full from here on")
    window.timeline.toggle_measure()
    window.navigator.go_to(Focus(140, "full[0]"))
    window.timeline.toggle_measure()
    notes.mark_region()
    window.show_pane("notes")
    save(window, HERE / "debug-notes.png")


def show_lecture() -> None:
    """Chapters alternate between the themes, so that both are seen; each chapter's number is in its headline."""
    telling = Telling(load_story(story_path("lesson")))
    chapters = len(telling.story.chapters)
    stills = [Still(load_theme(name), STAGE) for name in ("dark", "light")]
    width, height = (side // SHEET_SHRINK for side in STAGE)
    sheet = QImage(width * SHEET_COLUMNS, height * -(-chapters // SHEET_COLUMNS), QImage.Format.Format_RGB32)
    sheet.fill(0)
    painter = QPainter(sheet)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    for chapter in range(chapters):
        still = stills[chapter % 2]
        still.show(telling.told(chapter, 0), Beat(chapter, 0), chapters)
        picture = still.image().scaled(width, height, mode=Qt.TransformationMode.SmoothTransformation)
        painter.drawImage(chapter % SHEET_COLUMNS * width, chapter // SHEET_COLUMNS * height, picture)
    painter.end()
    sheet.save(str(HERE / "lecture-chapters.png"))
    for name, still, beat in (("step", stills[0], Beat(7, 3)), ("question", stills[1], Beat(7, 1, revealed=False))):
        still.show(telling.told(beat.chapter, beat.step), beat, chapters)
        still.image().save(str(HERE / f"lecture-{name}.png"))
    for still in stills:
        still.close()


def record_on_gpu(window: MainWindow, folder: Path) -> None:
    panel = window.experiment
    panel.source.setCurrentIndex(panel.source.findData("gpu"))
    panel.show_lesson({}, None)
    wait_for_document(window, panel.run_button.click)
    assert window.document is not None
    print(window.document.history.trace.meta.source, window.document.history.trace.meta.check)
    focus_blocked_wait(window)
    save(window, folder / "window-gpu-run.png")
    assert window.files.save(folder / "window-gpu-run.pscope")


def wait_for_document(window: MainWindow, action: object) -> None:
    """Start `action` and wait for what it loads or records; a message in the window ends the script."""
    loop = QEventLoop()
    failures: list[str] = []
    window.jobs.succeeded.connect(loop.quit)
    window.jobs.failed.connect(lambda message: (failures.append(message), loop.quit()))
    QTimer.singleShot(TIME_LIMIT_MS, loop.quit)
    assert callable(action)
    action()
    loop.exec()
    settle()
    if failures or window.document is None:
        sys.exit(failures[0] if failures else "nothing was loaded in time")


def focus_blocked_wait(window: MainWindow) -> None:
    """The producer's first blocked wait: the step at which back-pressure begins to be felt."""
    assert window.document is not None
    events = window.document.history.trace.events
    passes = (events["kind"] == EventKind.WAIT_END) & (events["agent"] == 0)
    steps = (passes & (events["flags"] & EventFlag.BLOCKED > 0)).nonzero()[0]
    step = int(steps[0]) if len(steps) else len(events) // 2
    window.navigator.go_to(Focus(step, "producer"))
    settle()


def save(window: MainWindow, path: Path) -> None:
    """Once the lanes are painted in full."""
    settle_until(lambda: window.timeline.rests and not window.timeline.busy)
    settle()
    window.grab().save(str(path))
    print(path.name)


def settle_until(done: Callable[[], bool]) -> None:
    """Let the window work until `done`."""
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if done() else None)
    timer.start(50)
    QTimer.singleShot(TIME_LIMIT_MS, loop.quit)
    loop.exec()


def rest() -> None:
    """Until a timeline that has just moved is painted in full."""
    loop = QEventLoop()
    QTimer.singleShot(AT_REST_MS, loop.quit)
    loop.exec()


def settle() -> None:
    for _ in range(5):
        QApplication.processEvents()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
