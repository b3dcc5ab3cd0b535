"""The raster of a moving view shows what the resting picture shows, column by column, and hides no error or flip."""

import numpy as np
import pytest
from timeline_pictures import METRICS
from timeline_traces import CONSUMER, EMPTY, FULL, ONE_TILE, make_trace

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes_picture import lanes_picture
from visualizer.views.timeline.lanes.raster import raster_picture
from visualizer.views.timeline.shapes.picture import Layer
from visualizer.views.timeline.time.scale import View, fit


@pytest.fixture(scope="module")
def store():
    return LaneStore(History(simulate(lesson(LessonConfig(tiles=1500)))))


def places(store, *keys):
    return [(store.lanes[store.row_of[key]], 50.0 * at, 40.0) for at, key in enumerate(keys)]


@pytest.mark.parametrize("key", ["consumer.w2", "producer", "stage[1]"])
def test_the_same_columns_as_the_resting_picture(store, key):
    view = fit(store.end, 400)
    (exact,) = lanes_picture(store, places(store, key), view, METRICS).columns
    (raster,) = raster_picture(store, places(store, key), view, 0, 399).columns
    assert raster.parts == exact.parts
    # Borders are those of the nearest bin: at most a third of a column away.
    assert np.abs(raster.heights - exact.heights).mean() < 0.12 * 40
    np.testing.assert_allclose(raster.heights.mean(axis=1), exact.heights.mean(axis=1), atol=0.4)


def test_deep_in_the_recording_the_columns_are_exact(store):
    whole = fit(store.end, 400)
    view = whole.zoomed(500, 200, store.end)
    assert not store.grid.serves(view.ps_per_px)
    (raster,) = raster_picture(store, places(store, "stage[1]"), view, 0, 399).columns
    mix = store.intervals(places(store, "stage[1]")[0][0]).mix.columns(view.column_edges(0, 399))
    np.testing.assert_allclose(raster.heights, mix.share * 40, atol=1.01)


def test_a_strip_is_a_part_of_the_whole(store):
    view = fit(store.end, 400)
    keys = ("producer", "tma", "full[0]", "empty[1]")
    whole = raster_picture(store, places(store, *keys), view, 0, 399)
    strip = raster_picture(store, places(store, *keys), view, 350, 399)
    for all_, part in zip(whole.columns, strip.columns, strict=True):
        assert part.x.tolist() == list(range(350, 400))
        np.testing.assert_array_equal(all_.heights[:, 350:], part.heights)


def test_an_error_of_no_length_keeps_its_mark_while_the_view_moves():
    rows = list(ONE_TILE[:2])
    for tile in range(3000):
        rows += [
            (100 + 20 * tile, EventKind.READ_BEGIN, CONSUMER, {"stage": 0, "tile": tile}),
            (110 + 20 * tile, EventKind.READ_END, CONSUMER, {"stage": 0, "tile": tile}),
        ]
    where = {"barrier": FULL, "stage": 0, "tile": 1500, "parity": 0}
    at = next(index for index, row in enumerate(rows) if row[0] > 30_000)
    rows[at:at] = [(30_010, EventKind.TIMEOUT, CONSUMER, where), (30_010, EventKind.READ_END, CONSUMER, {})]
    rows.sort(key=lambda row: row[0])
    store = LaneStore(History(make_trace(rows)))
    view = View(0, 150_000.0, 400)
    picture = raster_picture(store, places(store, "consumer.w1"), view, 0, 399)
    (mark,) = [rects for style, rects in picture.batches() if style.layer == Layer.MARK]
    assert any(abs(rect[0] - view.pixel(30_010_000)) <= 3 for rect in mark)


def test_a_collapsed_cta_shows_its_warps_shares_and_every_flip():
    store = LaneStore(History(simulate(lesson(LessonConfig(ctas=2, tiles=4)))))
    lane = store.lanes[store.row_of["CTA1"]]
    view = fit(store.end, 600)
    picture = lanes_picture(store, [(lane, 0.0, 30.0)], view, METRICS)
    flips, shares = picture.columns
    kinds, barriers = store.history.kinds, store.history.trace.events["barrier"]
    complete = np.flatnonzero(kinds == EventKind.PHASE_COMPLETE)
    complete = complete[store.history.trace.barrier_cta[barriers[complete]] == 1]
    times = store.history.trace.events["time"][complete]
    columns = np.unique(np.floor(view.pixels(times)).astype(int))
    assert set(columns.tolist()) <= set(np.flatnonzero(flips.heights[0]).tolist()) | {c + 1 for c in columns.tolist()}
    assert len(columns) == np.count_nonzero(flips.heights[0])
    assert {part.role for part in shares.parts} >= {"reading", "waiting"}
    agents = [lane for lane in store.lanes if lane.kind == "agent" and lane.cta == 1]
    expected = np.mean(
        [
            sum(
                (store.intervals(agent).spans.end - store.intervals(agent).spans.start)[
                    store.intervals(agent).spans.state == 3
                ]
            )
            for agent in agents
        ]
    )
    reading = store.summary(lane).mix.spent(np.array([-10, store.end + 10]))[0]
    row = list(store.summary(lane).mix.states).index(3)
    assert reading[row, 1] - reading[row, 0] == pytest.approx(expected)


def test_a_barriers_counts_have_their_ground_in_the_raster(store):
    picture = raster_picture(store, places(store, "empty[0]"), fit(store.end, 400), 0, 399)
    assert EMPTY == 1
    grounds = [rects for style, rects in picture.batches() if style.role == "phase_even"]
    assert grounds[0][0][2] == 400
