"""A twin fits where its original did, or is refused; and what that cost is told."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from assembler import needs_ptxas
from ptx_files import ptx

from visualizer.recording.tables import Ending
from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.options import HOST_LOG_BYTES, AttachOptions
from visualizer.sources.attach.ptx import budget
from visualizer.sources.attach.ptx.budget import fit, most_registers
from visualizer.sources.attach.ptx.twin import instrument
from visualizer.sources.attach.ptx_image import Ptx
from visualizer.sources.attach.ptx_instrument import MOST_LOG, MOST_OF_CLUSTERS, MOST_ROOM, PtxInstrument
from visualizer.sources.attach.ptxas import Assembled, assemble
from visualizer.sources.attach.recorded_launch import Origin, RecordedLaunch
from visualizer.sources.errors import SourceError


def shape(threads: int = 256, registers: int = 0, shared: int = 0) -> Shape:
    return Shape((132, 1, 1), (threads, 1, 1), (1, 1, 1), 0, shared, registers)


@pytest.mark.parametrize(
    ("asked", "registers"),
    [
        (shape(384, 168), 168),  # one CTA on an SM
        (shape(256, 128), 128),  # two
        (shape(256, 128, 200_000), 255),  # two by their registers, one by its shared memory
        (shape(128, 33), 40),  # twelve, of which each takes registers in steps of eight
        (shape(1024), 64),
        (shape(128, 8), 32),  # sixteen by their threads
        (shape(32, 8), 64),  # as many CTAs as an SM has
    ],
)
def test_as_many_ctas_fit_on_an_sm_as_before(asked: Shape, registers: int) -> None:
    assert most_registers(asked) == registers


class FakeAssembler:
    """Gives every twin so many registers, and spills as many bytes as it has stores of records, times a factor."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, registers: int, spilled_a_store: int = 0) -> None:
        self.limits: list[int] = []
        self._registers, self._spilled = registers, spilled_a_store
        monkeypatch.setattr(budget, "assemble", self)

    def __call__(self, text: str, target: str, most: int = 0) -> Assembled:
        self.limits.append(most)
        return Assembled(b"cubin", min(self._registers, most or 255), self._spilled * text.count("st.global.v4.u32"))


def test_registers_are_limited_where_fewer_ctas_would_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    assembler = FakeAssembler(monkeypatch, registers=140)
    fitted = fit(ptx("modules"), "plain", "barriers", Keep.FIRST, shape(256, 128))
    assert (assembler.limits, fitted.registers) == ([0, 128], 128)


@needs_ptxas
@pytest.mark.parametrize("bounds", ["", ".maxntid 160, 1, 1", ".reqntid 128", ".maxntid 256\n.maxnreg 64"])
def test_a_limit_holds_with_launch_bounds_too(bounds: str) -> None:
    made = instrument(ptx("modules"), "plain", "all", Keep.FIRST)
    text = re.sub(r"(\.entry plain\([^)]*\))", rf"\1\n{bounds}", made.ptx)
    assert bounds in text
    assert assemble(text, made.target).registers > 24
    assert assemble(text, made.target, 24).registers == 24


def test_sites_that_say_least_are_left_out_where_registers_lie_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeAssembler(monkeypatch, 128, spilled_a_store=20)
    fitted = fit(ptx("shapes"), "shapes", "all", Keep.FIRST, shape())
    assert {one.opcode for one in fitted.instrumented.dropped} == {"bar.sync"}
    assert {one.reason for one in fitted.instrumented.dropped} == {"registers were short"}
    assert fitted.notes == (
        "3 instructions are not recorded: bar.sync",
        f"{fitted.spilled} bytes of each thread's registers lie in memory",
    )
    spilling = replace(shape(), local=fitted.spilled)  # the original keeps as much there
    assert fit(ptx("shapes"), "shapes", "all", Keep.FIRST, spilling).instrumented.dropped == ()
    FakeAssembler(monkeypatch, 128, spilled_a_store=1)
    assert fit(ptx("shapes"), "shapes", "all", Keep.FIRST, shape()).instrumented.dropped == ()


def test_pools_of_setmaxnreg_must_be_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeAssembler(monkeypatch, registers=160)
    with pytest.raises(SourceError, match="setmaxnreg counts on 168 registers a thread, and recorded it has 160"):
        fit(ptx("forms_sm90"), "forms", "barriers", Keep.FIRST, shape(128, 168))
    FakeAssembler(monkeypatch, registers=168)
    assert fit(ptx("forms_sm90"), "forms", "barriers", Keep.FIRST, shape(128, 168)).registers == 168


def kernel(name: str, entry: str) -> Kernel:
    return Kernel(0, entry, "program", {}, Ptx(ptx(name), "sm_90a", 90))


@needs_ptxas
def test_the_instrument_makes_a_twin_with_the_variables_it_shares() -> None:
    twin = PtxInstrument(AttachOptions()).twin(kernel("modules", "calls"), shape())
    assert twin.cubin.startswith(b"\x7fELF")
    assert twin.variables == (("global", "counter"), ("global", "table"), ("const", "factors"))
    assert "table hold addresses" in twin.notes[0]


@needs_ptxas
def test_a_log_of_many_ctas_has_room_for_fewer_lanes() -> None:
    instrument = PtxInstrument(AttachOptions(keep_first=500))
    twin = instrument.twin(kernel("modules", "plain"), shape())
    small, large = (instrument.layout(twin, Shape((ctas, 1, 1), (256, 1, 1))) for ctas in (100, 4000))
    assert (small.records, small.lanes) == (500, tuple(range(32)))
    assert large.lanes == (0, 1, 8, 16, 24)
    usual = [PtxInstrument(AttachOptions()).layout(twin, Shape((ctas, 1, 1), (384, 1, 1))) for ctas in (20, 1024, 9000)]
    assert [(one.records, len(one.lanes)) for one in usual] == [(8000, 32), (1637, 5), (500, 2)]
    with pytest.raises(SourceError, match="GiB is too large"):
        instrument.layout(twin, Shape((100_000, 1, 1), (384, 1, 1)))
    last = PtxInstrument(AttachOptions(keep_last=500, ctas=(3, 1))).layout(twin, shape())
    assert (last.keep, last.records, last.recorded) == (Keep.LAST, 512, (1, 3))


@needs_ptxas
@pytest.mark.parametrize("ctas", [2, 32, 120, 132])
@pytest.mark.parametrize(("cluster", "most"), [(1, MOST_LOG), (2, MOST_LOG), (8, MOST_OF_CLUSTERS)])
def test_the_lane_that_copies_has_room_for_a_large_gemm(ctas: int, cluster: int, most: int) -> None:
    """7640 records of a warp, CUTLASS 48 at 4096^3 in clusters of 8 CTAs, for each of which a lane may arrive."""
    instrument = PtxInstrument(AttachOptions())
    twin = instrument.twin(kernel("modules", "plain"), shape())
    layout = instrument.layout(twin, Shape((ctas, 1, 1), (384, 1, 1), (cluster, 1, 1)))
    assert layout.records == MOST_ROOM > 7640
    assert {0, 1, 8, 16, 24, *range(cluster)} <= set(layout.lanes)
    assert layout.nbytes <= most


@needs_ptxas
def test_lanes_that_arrive_for_the_ctas_of_a_cluster_have_room() -> None:
    instrument = PtxInstrument(AttachOptions())
    twin = instrument.twin(kernel("modules", "plain"), shape())
    of_four = instrument.layout(twin, Shape((132, 1, 1), (384, 1, 1), (2, 2, 1)))
    assert of_four.lanes == (0, 1, 2, 3, 8, 16, 24)
    assert of_four.records == MOST_ROOM


@needs_ptxas
def test_a_small_log_stays_in_the_memory_of_the_host() -> None:
    instrument = PtxInstrument(AttachOptions())
    twin = instrument.twin(kernel("modules", "plain"), shape())
    one, two, three = (instrument.layout(twin, Shape((1, 1, 1), (32 * warps, 1, 1))) for warps in (1, 2, 3))
    assert one.records == MOST_ROOM
    assert two.records >= 4000
    assert max(one.nbytes, two.nbytes) <= HOST_LOG_BYTES < three.nbytes


@needs_ptxas
def test_a_recording_says_what_its_twin_is() -> None:
    instrument = PtxInstrument(AttachOptions())
    own = kernel("shapes", "shapes")
    twin = instrument.twin(own, shape(256, 40))
    layout = instrument.layout(twin, shape(256, 40))
    launch = RecordedLaunch(0, own, Origin(1), 3, shape(256, 40), layout.nbytes)
    launch.make_log(layout.beginning())
    assert instrument.progress(twin, layout, launch) == 0
    with pytest.raises(SourceError, match="the log is empty"):
        instrument.trace(twin, layout, launch, Ending("completed"))
    launch.close()
