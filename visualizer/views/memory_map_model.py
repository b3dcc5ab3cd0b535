"""The shared-memory map as plain data: every byte of SharedStorage in address order, and what it holds now.

Places follow from the program's parameters; what lies there, from the recording.
"""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.diagnosis.wording import state_word
from visualizer.language import mark, tr
from visualizer.programs.lesson_facts import lesson_facts
from visualizer.recording.trace import Trace
from visualizer.replay.history import History, StageState, State
from visualizer.semantics.shared_storage import BARRIER_ALIGNMENT, BARRIER_BYTES, Region, SharedStorage
from visualizer.views.cells import Cell, Column
from visualizer.views.context import cta_at, stage_place
from visualizer.views.lanes import stage_key
from visualizer.views.ring_model import STAGE_WORDS

COLUMNS = (
    Column("hex", mark("offset"), mark("bytes from the start of the CTA's dynamic shared memory"), True, "0x00000"),
    Column("offset", mark("decimal"), mark("the same offset in decimal"), True, "000000"),
    Column("size", mark("bytes"), mark("size of the object"), True, "000000"),
    Column("alignment", mark("align"), mark("the alignment the object needs, in bytes"), True, "align"),
    Column("name", mark("object"), mark("what lies there"), False, "empty[0]"),
    Column(
        "state",
        mark("now"),
        mark("what it holds at the focused step"),
        False,
        "#0 (parity 0), 96/96 pending, tx 16384 B",
    ),
)


@dataclass(frozen=True, slots=True)
class MapRegion:
    """One object: its place, and its state at a step."""

    region: Region
    role: str  # "barrier", "stage", "padding"
    lane: str  # "" for padding
    paint: str  # the theme's Paint it is drawn with
    label: str  # what is written in its block of the bar
    state: str
    focused: bool


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """The CellSource of the map's table, which also draws its bar: all regions of one CTA at one step."""

    cta: int
    total_bytes: int
    regions: tuple[MapRegion, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return COLUMNS

    def rows(self) -> int:
        return len(self.regions)

    def cell(self, row: int, column: int) -> Cell:
        entry = self.regions[row]
        region = entry.region
        text = {
            "hex": f"0x{region.offset:x}",
            "offset": str(region.offset),
            "size": str(region.size),
            "alignment": "" if entry.role == "padding" else str(region.alignment),
            "name": region.name,
            "state": entry.state,
        }[COLUMNS[column].key]
        return Cell(text, "muted" if entry.role == "padding" else "")

    def focused_row(self) -> int | None:
        return next((row for row, entry in enumerate(self.regions) if entry.focused), None)

    def headline(self) -> str:
        """Total and alignment in one line."""
        barriers = [entry.region for entry in self.regions if entry.role == "barrier"]
        parts = [tr("SharedStorage: {bytes} bytes", bytes=self.total_bytes)]
        if barriers:
            size = sum(region.size for region in barriers)
            parts.append(
                tr(
                    "{n} barriers, {bytes} bytes, {alignment}-byte aligned",
                    n=len(barriers),
                    bytes=size,
                    alignment=BARRIER_ALIGNMENT,
                )
            )
        stages = [entry.region for entry in self.regions if entry.role == "stage"]
        if stages:
            parts.append(
                tr(
                    "{n} x {bytes} bytes of tiles, {alignment}-byte aligned",
                    n=len(stages),
                    bytes=stages[0].size,
                    alignment=stages[0].alignment,
                )
            )
        return "  |  ".join(parts)


def memory_map(history: History, step: int, lane: str | None = None) -> MemoryMap:
    """The map of the focused event's CTA after event `step`; focused: what `lane` names, else what the event is on."""
    trace = history.trace
    cta = cta_at(trace, step)
    state = history.state_at(step)
    regions = _regions(trace, cta)
    focused = lane if any(lane == name for _, name in regions) else _touched(trace, step, cta)
    return MemoryMap(
        cta=cta,
        total_bytes=max((region.end for region, _ in regions), default=0),
        regions=tuple(
            _map_region(history, state, cta, region, name, bool(name) and name == focused) for region, name in regions
        ),
    )


def _regions(trace: Trace, cta: int) -> list[tuple[Region, str]]:
    """The program's layout, each region with its lane ("": padding); where the recording's barriers are not those of
    its parameters, or nothing is known of these, the barriers where the recording has them."""
    barriers = [barrier for barrier in trace.barriers if barrier.cta == cta]
    facts = lesson_facts(trace.meta.config)
    if facts:
        regions = SharedStorage(facts["stages"], facts["tile_bytes"]).regions()
        told = [(region, _lane(trace, cta, region)) for region in regions]
        expected = {lane for region, lane in told if region.alignment == BARRIER_ALIGNMENT}
        if expected == {barrier.name for barrier in barriers}:
            return told
    placed = sorted((barrier for barrier in barriers if barrier.offset >= 0), key=lambda barrier: barrier.offset)
    return [
        (Region(barrier.name.rsplit(".", 1)[-1], barrier.offset, BARRIER_BYTES, BARRIER_ALIGNMENT), barrier.name)
        for barrier in placed
    ]


def _lane(trace: Trace, cta: int, region: Region) -> str:
    if region.name == "padding":
        return ""
    return f"CTA{cta}.{region.name}" if trace.ctas > 1 else region.name


def _touched(trace: Trace, step: int, cta: int) -> str | None:
    event = trace.events[step]
    if int(event["barrier"]) >= 0:
        return trace.barriers[int(event["barrier"])].name
    return stage_key(trace, cta, int(event["stage"])) if int(event["stage"]) >= 0 else None


def _map_region(history: History, state: State, cta: int, region: Region, lane: str, focused: bool) -> MapRegion:
    if not lane:
        return MapRegion(region, "padding", "", "empty", "", "padding", False)
    row = history.trace.barrier_index.get(lane)
    if row is not None:
        return MapRegion(region, "barrier", lane, *_barrier_state(state, row), focused)
    stage = int(region.name[len("stage[") : -1])
    place = stage_place(history, cta, stage)
    occupancy = StageState(int(state.stage_state[place])) if place >= 0 else StageState.EMPTY
    tile = int(state.stage_tile[place]) if place >= 0 else -1
    word = STAGE_WORDS[occupancy]
    text = f"tile {tile}, {state_word(word)}" if tile >= 0 else state_word(word)
    label = f"tile {tile}" if tile >= 0 else state_word(word)
    return MapRegion(region, "stage", lane, word, label, text, focused)


def _barrier_state(state: State, row: int) -> tuple[str, str, str]:
    """Paint, label and sentence of a barrier."""
    if not state.barrier_valid[row]:
        return "empty", "-", tr("not initialised")
    phase = int(state.barrier_phase[row])
    expected = int(state.barrier_expected[row])
    pending = int(state.barrier_pending[row])
    text = f"#{phase} (parity {phase & 1}), {pending}/{expected} pending"
    tx = int(state.barrier_tx[row])
    if tx:
        text += f", tx {tx} B"
    return ("phase_odd" if phase & 1 else "phase_even"), str(phase & 1), text
