"""The instrument of a session: twins made of PTX, and what their logs say."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from visualizer.arrays.ordering import Ints
from visualizer.language import tr
from visualizer.recording.facts import Source
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.sources.attach.decode import trace_of
from visualizer.sources.attach.instrument import Twin
from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import LEFT, RECORD_DTYPE, Keep, LogLayout, read_log
from visualizer.sources.attach.log_rows import counts
from visualizer.sources.attach.options import HOST_LOG_BYTES, AttachOptions
from visualizer.sources.attach.ptx.budget import Fitted, fit
from visualizer.sources.attach.recorded_launch import RecordedLaunch
from visualizer.sources.errors import SourceError

MOST_LOG, MOST_OF_CLUSTERS, LIMIT = 3 << 29, 9 << 28, 1 << 33
"""Bytes of a log up to which more lanes get more room; up to which lanes that arrive for a cluster's CTAs do, as of 132
CTAs of 12 warps; and which none may have."""
MOST_ROOM = 8000
"""Records that a lane gets room for where a log of this size allows. Of CUTLASS 48, 4096^3 on 120 CTAs at level
`barriers`, the lane that copies makes some 7640 [counted on an H200]."""
_ANY, _EACH_CTA, _CUTLASS, _FIRST = tuple(range(32)), (*range(8), 8, 16, 24), (0, 1, 8, 16, 24), (0, 1)
"""Lanes that act by themselves or for others: any; those that arrive for a CTA each; those that CUTLASS's pipelines
choose; the first of a warp, and the first of the others where it was elected to do something else."""
_WISHES = (
    (4000, _ANY, MOST_LOG),
    (MOST_ROOM, _EACH_CTA, MOST_LOG),
    (MOST_ROOM, _CUTLASS, MOST_OF_CLUSTERS),
    (3000, _CUTLASS, MOST_LOG),
    (1000, _EACH_CTA, MOST_LOG),
    (1000, _CUTLASS, MOST_LOG),
    (500, _CUTLASS, MOST_LOG),
    (1000, _FIRST, MOST_LOG),
    (500, _FIRST, MOST_LOG),
)
"""Least room for a lane's records, lanes that get it - beside CUTLASS's, one for each CTA of a cluster - and bytes that
the log may have; the first that fits is taken, and as much room as fits. A lane that copies for its CTA makes most
records, and needs room more than lanes that rarely act need any."""


class PtxInstrument:
    """Makes twins and reads their logs. Called from several threads."""

    def __init__(self, options: AttachOptions) -> None:
        self._options = options
        self._counts: dict[int, Ints] = {}  # records of each stream when a launch was last asked for its progress

    @property
    def _keep(self) -> Keep:
        return Keep.LAST if self._options.keep_last else Keep.FIRST

    def twin(self, kernel: Kernel, shape: Shape) -> Twin:
        """SourceError if the kernel cannot be instrumented, with the reason."""
        assert kernel.ptx is not None
        fitted = fit(kernel.ptx.text, kernel.name, self._options.level, self._keep, shape)
        made = fitted.instrumented
        return Twin(
            fitted.cubin,
            kernel.name,
            tuple(("initial" if one.is_text else one.space, one.name) for one in made.variables),
            tuple(fitted.notes),
            fitted,
        )

    def layout(self, twin: Twin, shape: Shape) -> LogLayout:
        """Where what is in a launch's log. SourceError if it would be too large."""
        options = self._options
        asked = options.keep_last or options.keep_first
        recorded = shape.whole_clusters(options.ctas) or None
        for room, lanes, most in _WISHES:
            if lanes == _CUTLASS:
                lanes = tuple(sorted({*lanes, *range(min(math.prod(shape.cluster), 32))}))
            layout = LogLayout(shape, asked or room, self._keep, recorded, lanes)
            if layout.nbytes <= most:
                return layout if asked else _widened(layout)
        if layout.nbytes >= LIMIT:
            raise SourceError(
                tr(
                    "a log of {gib:.1f} GiB is too large: record fewer CTAs, or fewer records of each warp",
                    gib=layout.nbytes / 2**30,
                )
            )
        return layout

    def progress(self, twin: Twin, layout: LogLayout, launch: RecordedLaunch) -> int:
        """A number that changes with every record that is made; 0 before the first."""
        log = read_log(layout, launch.log())
        count = self._counts[launch.id] = counts(log, self._counts.get(launch.id))
        there = int(count.sum()) + int((log.counts >= LEFT).sum()) + int((log.headers["cta"] > 0).sum())
        if layout.keep is Keep.LAST:
            full = log.records["word"][..., -1] != 0
            there += int(log.records["clock"][full].sum(dtype=np.int64))
        return there

    def trace(self, twin: Twin, layout: LogLayout, launch: RecordedLaunch, ending: Ending) -> Trace:
        """What the log says now. SourceError if it says nothing."""
        fitted = twin.detail
        assert isinstance(fitted, Fitted)
        shape, made = launch.shape, fitted.instrumented
        source: Source = {
            "kind": "attach",
            "kernel": launch.kernel.title,
            "launch": launch.index,
            "gpu": launch.kernel.gpu,
            "grid": list(shape.grid),
            "block": list(shape.block),
            "cluster": list(shape.cluster),
            "level": self._options.level,
            "registers": [shape.registers, launch.twin_registers or fitted.registers],
            "local_bytes": [shape.local, launch.twin_local],
            "sites": len(made.sites),
            "dropped": [{"op": one.opcode, "line": one.line, "reason": one.reason} for one in made.dropped],
            "notes": list(fitted.notes),
        }
        meta = Meta(launch.kernel.short, {}, source, ending)
        return trace_of(read_log(layout, launch.log()), made.sites, made.plain, launch.tensor_maps, meta)


def _widened(layout: LogLayout) -> LogLayout:
    """With as much room as fits; a log that is small enough for the host's memory stays so."""
    most = HOST_LOG_BYTES if layout.nbytes <= HOST_LOG_BYTES else MOST_LOG
    more = max(most - layout.nbytes, 0) // (layout.streams * RECORD_DTYPE.itemsize)
    return replace(layout, room=min(layout.room + more, MOST_ROOM))
