"""How large a GPU recording will be, known before the run: what cannot fit is refused with its size and a way out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from visualizer.language import tr
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EVENT_DTYPE
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.window import Window

PEAK_BYTES = 200
"""Memory to have per event while a log becomes a Trace. Measured were 107 for a log of words
(benchmarks/results/2026-11-29-throughput.md); a log of clocks and a window make one array of all events besides."""
_MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True, slots=True)
class Size:
    """Of a recording: events, its file's bytes, and the bytes of memory that making it takes."""

    events: int

    @property
    def file_bytes(self) -> int:
        return self.events * EVENT_DTYPE.itemsize

    @property
    def peak_bytes(self) -> int:
        return self.events * PEAK_BYTES


def recording_size(config: LessonConfig, window: Window) -> Size:
    """At most: a run that blocks less, or a log of a lower level, has fewer events."""
    copies = config.copies_per_tile
    # Per tile: wait (2), arrive.expect_tx, copies, ++; each lands (2); two phases complete; a consumer's six.
    per_tile = 4 + 3 * copies + 2 + 6 * config.consumer_warps
    ctas = -(-config.ctas // window.every_cta)
    ends = 2 * config.stages + 1 + 3 * config.stages + 1 + config.consumer_warps + config.stages * config.consumer_warps
    return Size(ctas * (len(window.tiles(config.tiles)) * per_tile + ends))


def check_size(config: LessonConfig, window: Window, available: int | None = None) -> None:
    """SourceError if the recording cannot fit in memory; `available` bytes, by default what the system says."""
    size = recording_size(config, window)
    available = _available() if available is None else available
    if size.peak_bytes <= available:
        return
    share = max(int(len(window.tiles(config.tiles)) * available / size.peak_bytes), 1)
    raise SourceError(
        tr(
            "this recording has {events:,.0f} million events: a file of {file_bytes:,.1f} GB, and"
            " {peak_bytes:,.1f} GB of memory to make it, of which {available:,.1f} GB are free."
            " Record less of it: --window N:M or --keep-last N with up to about {share:,} tiles, or"
            " fewer CTAs with --every-cta",
            events=size.events / 1e6,
            file_bytes=size.file_bytes / 1e9,
            peak_bytes=size.peak_bytes / 1e9,
            available=available / 1e9,
            share=share,
        )
    )


def _available() -> int:
    """Bytes of memory that may be used; without an answer from the system, no limit."""
    try:
        lines = _MEMORY.read_text(encoding="ascii").splitlines()
    except OSError:
        return 1 << 62
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), 1 << 62)
