"""The cp.async kernel's recordings: lines of its calls, landings from its waits, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.programs.cp_async import WARPS
from visualizer.programs.errors import ProgramError
from visualizer.programs.kernel_source import find_sites
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.resources import resource_dir
from visualizer.sources.cp_async.record import KERNEL_FILE, SITE_CALLS, record_cp_async, with_landings
from visualizer.sources.errors import SourceError
from visualizer.sources.registry import check
from visualizer.sources.simulator.simulate import simulate
from visualizer.sources.source import Request

KERNEL = resource_dir("kernels") / "cp_async_pipeline.cu"


def test_every_call_has_its_line() -> None:
    text = KERNEL.read_text(encoding="utf-8")
    sites = find_sites(text, SITE_CALLS, KERNEL_FILE)
    assert [site.op for site in sites] == list(SITE_CALLS)
    for site in sites:
        assert site.file == KERNEL_FILE
        assert SITE_CALLS[site.op] in text.splitlines()[site.line - 1]
    with pytest.raises(ProgramError, match=r"cp_async_pipeline\.cu: .* must occur exactly once, but it occurs nowhere"):
        find_sites("", SITE_CALLS, KERNEL_FILE)


@pytest.mark.parametrize("seed", range(3))
def test_landings_stand_between_a_copys_issue_and_its_warps_wait(seed: int) -> None:
    trace = simulate(find_program("cp-async", {"tiles": 9}), seed=seed)
    engine = len(trace.agents) - 1
    logged = trace.events[trace.events["agent"] != engine]
    by_warp = logged[np.argsort(logged["agent"], kind="stable")]  # as decode gives them
    events = with_landings(by_warp, engine)
    assert (np.diff(events["time"]) >= 0).all()
    landings = events[events["kind"] == EventKind.COPY_DONE]
    assert len(landings) == 9 * WARPS
    assert (landings["flags"] == (EventFlag.DERIVED | EventFlag.ESTIMATED)).all()
    for tile in range(9):
        of_tile = events[events["tile"] == tile]
        issued = of_tile["time"][of_tile["kind"] == EventKind.COPY_ISSUE]
        landed = of_tile["time"][of_tile["kind"] == EventKind.COPY_DONE]
        reads = of_tile["time"][of_tile["kind"] == EventKind.READ_BEGIN]
        assert landed.min() > issued.min()
        assert reads.min() > landed.max()
        assert int(of_tile["amount"][of_tile["kind"] == EventKind.COPY_DONE].sum()) == 16384


def test_a_copy_that_nobody_waited_for_has_no_landing() -> None:
    trace = simulate(find_program("cp-async", {"tiles": 2}))
    events = trace.events[(trace.events["kind"] == EventKind.COPY_ISSUE)]
    assert (with_landings(events, len(trace.agents) - 1)["kind"] == EventKind.COPY_ISSUE).all()


def test_what_is_refused_before_a_gpu_is_looked_for() -> None:
    with pytest.raises(SourceError, match="at most 100000"):
        record_cp_async(LessonConfig(tiles=100_001))
    with pytest.raises(ProgramError, match=r"--stages is 1; it must be 2\.\.8"):
        check("gpu", Request("cp-async", {"stages": 1}))
    with pytest.raises(SourceError, match="always recorded whole"):
        check("gpu", Request("cp-async", options={"check": "off"}))
    with pytest.raises(SourceError, match="the kernels of lesson, cp-async, multicast, gemm, pingpong, attention only"):
        check("gpu", Request("cluster"))
    with pytest.raises(ProgramError, match="--program cp-async has no faults"):
        check("gpu", Request("cp-async", fault="F06"))
    with pytest.raises(ProgramError, match="--consumer-warps is a parameter of lesson"):
        check("gpu", Request("cp-async", {"consumer_warps": 2}))
    check("gpu", Request("cp-async", {"tiles": 4}, options={"check": "exact"}))
