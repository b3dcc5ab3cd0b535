"""What a probe saw in the timeline: bars under the curves on the same scale, a name, words under the pointer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from probed import probed
from timeline_pictures import HEIGHT, hover_note, lane_picture
from timeline_traces import one_tile

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import SAMPLE_DTYPE
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.semantics.mbarrier import Token
from visualizer.semantics.word import encode
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.inspector.explanation_model import probe_note
from visualizer.views.look.theme import contrast, load_theme, theme_names
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.shapes.barriers import curve_place
from visualizer.views.timeline.shapes.picture import Layer, Picture, Style
from visualizer.views.timeline.shapes.samples import make_sample_lane, sample_text
from visualizer.views.timeline.time.scale import View

BARS = Style(Layer.CURVE_FILL, "probe", "outline")
WHOLE = View(0, 1000.0, 1000)  # a nanosecond a pixel


def draining() -> Trace:
    """The tile of `one_tile` seen to arrive: 1 pending, then 4096, 2048 and 0 bytes outstanding."""
    trace = one_tile()
    tokens = (Token(0, 1, 0), Token(0, 0, 4096), Token(0, 0, 2048), Token(1, 1, 0))
    times = ((60, 90), (120, 300), (360, 330), (510, 900))
    rows = [(a * 1000, b * 1000, encode(token), 0, 0) for (a, b), token in zip(times, tokens, strict=True)]
    return replace(trace, samples=np.array(rows, SAMPLE_DTYPE))


def bars(picture: Picture) -> np.ndarray:
    return dict(picture.batches()).get(BARS, np.empty((0, 4)))


@pytest.fixture
def store() -> LaneStore:
    return LaneStore(History(draining()))


def test_a_copy_is_drawn_as_it_lands(store: LaneStore) -> None:
    found = bars(lane_picture(store, "full[0]", WHOLE))
    top, height = curve_place(0.0, HEIGHT)
    tx = found
    assert len(tx) == 4, "of the one arrival there is nothing to see"
    assert tx[:, 0].tolist() == [60, 120, 330, 510]
    assert tx[:, 2].tolist() == [30, 180, 30, 390]
    heights = (top + height - 1 - (tx[:, 1] + 3)) / (height - 2)  # of the bars' middles, as a share
    assert heights == pytest.approx([0, 0, 0.5, 0], abs=0.05)


def test_arrivals_are_drawn_as_they_come() -> None:
    trace = probed(simulate(lesson(LessonConfig(tiles=4))), 2_000)
    found = bars(lane_picture(LaneStore(History(trace)), "empty[0]", View(0, trace.duration_ps / 1000, 1000)))
    assert len(set(found[:, 1].tolist())) == 3, "0, 32 and 64 of 96"
    first_phase = found[: int(np.argmax(np.diff(found[:, 1]) < 0)) + 1, 1]
    assert (np.diff(first_phase) >= 0).all()


def test_bars_lie_under_the_lines_of_the_curves(store: LaneStore) -> None:
    order = [style for style, _ in lane_picture(store, "full[0]", WHOLE).batches()]
    lines = [Style(Layer.CURVE, role, "colour") for role in ("tx", "pending")]
    assert all(order.index(BARS) < order.index(line) for line in lines)


def test_a_single_sample_is_wide_enough_to_be_seen(store: LaneStore) -> None:
    found = bars(lane_picture(store, "full[0]", View(0, 10_000.0, 1000)))
    assert found[:, 2].min() == 6
    assert found[2, 0] + 3 == pytest.approx(34.5), "about its middle"


def test_the_bars_are_named_as_experimental(store: LaneStore) -> None:
    labels = lane_picture(store, "full[0]", WHOLE).labels
    (name,) = [label for label in labels if label.role == "probe"]
    assert name.text == "probe (experimental)"
    covered = [
        label
        for label in labels
        if label.backed and label is not name and label.x + (label.width - 8 * len(label.text)) / 2 < name.width
    ]
    assert not covered
    narrow = lane_picture(store, "full[0]", View(0, 5000.0, 200)).labels
    assert [label.text for label in narrow if label.role == "probe"] == ["probe"]


def test_without_samples_there_is_nothing(store: LaneStore) -> None:
    picture = lane_picture(store, "empty[0]", WHOLE)
    assert not len(bars(picture))
    assert not [label for label in picture.labels if label.role == "probe"]


def test_a_probe_of_flips_shows_the_parity() -> None:
    flips = probed(simulate(lesson(LessonConfig(tiles=4))), mode="flips")
    store = LaneStore(History(flips))
    found = bars(lane_picture(store, "full[0]", View(0, flips.duration_ps / 1000, 1000)))
    assert len(set(found[:, 1].tolist())) == 2


def test_many_samples_are_told_by_marks_alone() -> None:
    trace = probed(simulate(lesson(LessonConfig(tiles=300))), 100_000)
    found = bars(lane_picture(LaneStore(History(trace)), "full[0]", View(0, trace.duration_ps / 400, 400)))
    assert 0 < len(found) <= 400
    assert (found[:, 2] == 1).all()


def test_the_pointer_and_the_focus_tell_what_was_seen(store: LaneStore) -> None:
    lane = store.lanes[store.row_of["full[0]"]]
    assert hover_note(store, lane, WHOLE, 345.0, 0.5)[-1] == (
        "probe (experimental) saw parity 0, 0 arrivals and 2048 B missing from 330 ns to 360 ns"
    )
    assert "probe" not in " ".join(hover_note(store, store.lanes[store.row_of["empty[0]"]], WHOLE, 345.0, 0.5))
    trace = store.history.trace
    step = int(np.searchsorted(trace.events["time"], 100_000))
    before, after = probe_note(trace, step).splitlines()
    assert "1 arrival and 0 B missing" in before
    assert "4096 B" in after
    assert probe_note(one_tile(), step) == ""


def test_before_the_first_sample_there_is_nothing_to_say() -> None:
    assert sample_text(make_sample_lane(draining(), 0), 10_000) == ""


@pytest.mark.parametrize("name", theme_names())
@pytest.mark.parametrize("phase", ["phase_even", "phase_odd"])
def test_bars_stand_off_the_phase_and_lines_off_the_bars(name: str, phase: str) -> None:
    theme = load_theme(name)
    assert contrast(theme.probe.outline, theme.paint(phase).fill) >= 3
    assert theme.probe.outline not in (theme.tx, theme.pending)
