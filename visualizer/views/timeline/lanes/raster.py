"""The lanes' bodies while the view moves: every lane as shares of time in each pixel column, in one pass over them all.

What a moving view can do without - outlines, labels, counts - takes most of a frame; it comes back with the first
picture that rests. Errors keep their mark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from visualizer.views.timeline.lanes.lane_kinds import kind_of
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes_picture import Place
from visualizer.views.timeline.shapes.picture import Picture
from visualizer.views.timeline.shapes.share_rows import ShareRow, add_share_rows
from visualizer.views.timeline.shapes.summary import add_flips
from visualizer.views.timeline.time.scale import View

_WIDE = 600  # columns beyond which two are made as one: half the work, and seen for a tenth of a second


def raster_picture(store: LaneStore, places: Sequence[Place], view: View, first: int, last: int) -> Picture:
    """The pixel columns first..last of the lanes at `places`."""
    picture = Picture()
    groups: dict[int, list[ShareRow]] = defaultdict(list)
    for lane, top, height in places:
        kind = kind_of(lane)
        for row in kind.share_rows(store, lane, top, height):
            groups[row.height].append(row)
        kind.add_ground(picture, first, last, top, height)
    wide = 2 if last - first > _WIDE else 1
    edges = view.column_edges(first, last + wide - 1)[::wide]
    x = np.arange(first, first + wide * (len(edges) - 1))
    grid = store.grid if store.grid.serves(view.ps_per_px) else None
    borders = store.grid.nearest(edges)
    for lane, top, height in places:
        if lane.folds and (flips := store.summary(lane).flips) is not None:
            before = flips.times.searchsorted(edges) if grid is None else flips.at_bins.take(borders)
            add_flips(picture, before, x, top, height)
    for height, rows in groups.items():
        add_share_rows(picture, rows, height, edges, x, grid)
    return picture
