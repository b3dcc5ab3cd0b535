"""Records kernels/cp_async_pipeline.cu: the pipeline without mbarriers, beside the lesson's, on the same GPU."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visualizer import __version__
from visualizer.language import recorded, tr
from visualizer.programs.cp_async import NAME, cp_async
from visualizer.programs.kernel_source import find_sites
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.resources import resource_dir
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.decode import decode
from visualizer.sources.lesson.raw_log import RawLog
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.runner.process import WorkerProcess

KERNEL_FILE = "kernels/cp_async_pipeline.cu"
SITE_CALLS = {
    "prefetch": "copy_tile(write_stage, tile, ",
    "wait_group": "wait_copies(tile, log)",
    "cp_async": "copy_tile(write_stage, tile + kAhead",
    "read": "check_tile(read_stage, tile, ",
    "exit": "log.exit(",
}
"""Operation -> the call that stands for it, written exactly once in the kernel."""
MOST_TILES = 100_000
WORKER_MODULE = "visualizer.sources.cp_async.worker"
TIME_LIMIT_S = 60.0


def record_cp_async(
    config: LessonConfig, *, progress: Progress | None = None, cancelled: CancelCheck | None = None
) -> Trace:
    """Run the kernel on GPU 0 with the config's stages, tiles and tile. SourceError if no kernel ran."""
    if config.tiles > MOST_TILES:
        raise SourceError(
            tr(
                "--tiles is {tiles}; --program {name} records at most {most_tiles} on a GPU",
                tiles=config.tiles,
                name=NAME,
                most_tiles=MOST_TILES,
            )
        )
    program = cp_async(config)
    with tempfile.TemporaryDirectory(prefix="phasescope-") as directory:
        output = Path(directory) / "raw.npz"
        job = json.dumps({"config": config.as_dict(), "output": str(output)})
        report = WorkerProcess(WORKER_MODULE, job).wait(TIME_LIMIT_S, progress, cancelled)
        if report.answer is None:
            raise SourceError(
                tr("the GPU worker ended before the kernel came back: {why}", why=recorded(report.why)), "worker"
            )
        answer = report.answer
        raw = RawLog.load(output)
    agents = (*(agent.agent for agent in program.agents), *program.copy_engines)
    text = (resource_dir("kernels") / "cp_async_pipeline.cu").read_text(encoding="utf-8")
    sites = find_sites(text, SITE_CALLS, KERNEL_FILE)
    decoded = decode(raw, agents, (), sites)
    meta = Meta(
        program=NAME,
        config=dict(program.config),
        source=answer["source"],
        ending=Ending("completed"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        records_lost=int(decoded.lost.sum()),
        clock=decoded.clock.as_dict(),
        check={"mode": "exact", "checked": config.tiles * config.tile_bytes // 2, "errors": answer["errors"]},
        versions={"phasescope": __version__, **answer["versions"]},
    )
    engine = len(agents) - 1
    return Trace(meta, agents, (), sites, with_landings(decoded.events, engine), {KERNEL_FILE: text})


def with_landings(events: NDArray[np.void], engine: int) -> NDArray[np.void]:
    """The warps' events, in time order, with a landing for each copy by agent row `engine`.

    Nothing on the GPU says when a copy lands; its warp knows once its wait for the group is over. The landing is put
    there, flagged as an estimate: it may have been any time since the issue.
    """
    issues = np.flatnonzero(events["kind"] == EventKind.COPY_ISSUE)
    ends = np.flatnonzero(events["kind"] == EventKind.WAIT_END)
    span = np.int64(1) << 32
    key = events["agent"].astype(np.int64) * span + events["tile"]
    order = np.argsort(key[ends], kind="stable")
    row = np.searchsorted(key[ends][order], key[issues])
    waited = row < len(ends)
    waited[waited] = key[ends][order][row[waited]] == key[issues[waited]]
    landings = events[issues[waited]].copy()
    landings["kind"] = EventKind.COPY_DONE
    landings["agent"] = engine
    landings["site"] = -1
    landings["flags"] = EventFlag.DERIVED | EventFlag.ESTIMATED
    landings["time"] = landings["measured"] = events["time"][ends[order[row[waited]]]] - 1
    both = np.concatenate([events, landings])
    laid_out: NDArray[np.void] = both[np.argsort(both["time"], kind="stable")]
    shift = laid_out["time"][0] if len(laid_out) else 0
    laid_out["time"] -= shift
    laid_out["measured"] -= shift
    return laid_out
