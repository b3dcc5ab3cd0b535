"""A log that something wrote over is refused in one sentence, whatever stands there now; `tests.fuzz` writes more."""

from __future__ import annotations

import pytest
from written_log import START, WrittenLog, site, wait

from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace, TraceError
from visualizer.sources.attach.decode import trace_of
from visualizer.sources.attach.recorded_launch import TensorMap
from visualizer.sources.errors import SourceError

SITES = [
    site(1, "mbarrier.init"),
    site(2, "mbarrier.try_wait", "mbarrier.try_wait.parity.shared::cta.b64", spins=True),
    site(3, "cp.async.bulk.tensor", "cp.async.bulk.tensor.2d.shared::cluster.global", tensor_map=128),
]


def written() -> WrittenLog:
    log = WrittenLog(ctas=4, warps=2, cluster=(2, 1, 1))
    for cta in range(4):
        log.write([(100, 1, 0, 1, 0x400, 1), wait(900, 0x400, 1, 40)], cta)
    log.leave()
    return log


def trace_from(log: WrittenLog, *maps: TensorMap) -> Trace:
    return trace_of(log.log, SITES, "ptx\n" * 40, maps, Meta("kernel", {}, {"kind": "attach"}, Ending("crash")))


def test_a_log_as_twins_write_it_passes() -> None:
    log = written()
    assert trace_from(log).ctas == 4
    log.log.headers["exit_clock"][1, 0] = log.log.headers["exit_time"][1, 0] = 0  # it has not left
    log.log.headers[2, 1] = log.log.headers[3] = 0  # these have not begun
    assert trace_from(log).ctas


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cta", 3),
        ("cta", 0xFFFFFFFF),
        ("cluster", 0xFFFFFFFF),
        ("cluster", 7 << 8),
        ("smid", 0x7FFFFFFF),
        ("smid", 0),
        ("start_clock", 1 << 63),
        ("start_clock", START + 200_000),
        ("exit_clock", 1 << 62),
        ("exit_clock", 1),
    ],
)
def test_what_a_warp_cannot_have_said_is_refused(field: str, value: int) -> None:
    log = written()
    log.log.headers[field][1, 1] = value
    with pytest.raises(SourceError, match=r"^the log is damaged: what CTA 1 says of its beginning or end cannot be"):
        trace_from(log)


def test_clocks_of_a_warp_that_has_not_begun_are_none() -> None:
    log = written()
    log.log.headers[1, 1] = 0
    log.log.headers["exit_clock"][1, 1] = 1 << 63
    with pytest.raises(SourceError, match="what CTA 1 says"):
        trace_from(log)


def test_clocks_that_are_hours_apart_are_refused() -> None:
    log = written()
    log.log.headers["start_time"][2, 0] = 1 << 61
    with pytest.raises(TraceError, match=r"^the log is damaged: what it says of the clock of SM \d cannot be"):
        trace_from(log)


def test_a_tensor_map_of_more_than_a_copy_brings_is_of_no_known_bytes() -> None:
    log = written()
    assert trace_from(log, TensorMap(128, 7, (1 << 32, 1 << 32))).ctas == 4
