"""The shared-memory map as plain data: every barrier and stage buffer of a CTA in address order, and what it holds now.

Where barriers lie is recorded. Where buffers lie follows from the lesson's parameters; other recordings do not tell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from visualizer.diagnosis.arrived import arrived_of, landed_at, number_of, parity_of
from visualizer.diagnosis.wording import state_word
from visualizer.language import mark, tr, trn
from visualizer.programs.lesson_facts import lesson_facts
from visualizer.replay.history import History, State
from visualizer.replay.stage_columns import STAGE_STATES
from visualizer.semantics.shared_storage import BARRIER_ALIGNMENT, BARRIER_BYTES, DATA_ALIGNMENT, Region, SharedStorage
from visualizer.structure.titles import barrier_name
from visualizer.views.tables.cells import Cell, Column
from visualizer.views.words.context import cta_at, cta_barriers, parity_paint, stage_lane, stage_name

COLUMNS = (
    Column("hex", mark("offset"), mark("bytes from the start of the CTA's dynamic shared memory"), True, "0x00000"),
    Column("offset", mark("decimal"), mark("the same offset in decimal"), True, "000000"),
    Column("size", mark("bytes"), mark("size of the object"), True, "000000"),
    Column("alignment", mark("align"), mark("the alignment the object needs, in bytes"), True, "align"),
    Column("name", mark("object"), mark("what lies there"), False, "K.empty[0]"),
    Column(
        "state",
        mark("now"),
        mark("what it holds at the focused step"),
        False,
        "#0 (parity 0), arrived 96/96, landed 16/16 KiB",
    ),
)

NOWHERE = -1
"""The offset of a buffer of which nobody knows where it lies."""


@dataclass(frozen=True, slots=True)
class MapRegion:
    """One object: its place, and its state at a step."""

    region: Region  # at NOWHERE, of no size, if that is not known
    role: str  # "barrier", "stage", "padding"
    row: int  # of the barrier; of a stage, its place (visualizer.structure.model); -1 for padding
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
        longest = max((entry.region.name for entry in self.regions), key=len, default="")
        return tuple(replace(one, widest=longest) if one.key == "name" else one for one in COLUMNS)

    def rows(self) -> int:
        return len(self.regions)

    def cell(self, row: int, column: int) -> Cell:
        entry = self.regions[row]
        region = entry.region
        text = {
            "hex": f"0x{region.offset:x}" if region.offset != NOWHERE else "?",
            "offset": str(region.offset) if region.offset != NOWHERE else "?",
            "size": str(region.size) if region.size else "?",
            "alignment": "" if entry.role == "padding" else str(region.alignment) if region.size else "?",
            "name": region.name,
            "state": entry.state,
        }[COLUMNS[column].key]
        return Cell(text, "muted" if entry.role == "padding" else "")

    def focused_row(self) -> int | None:
        return next((row for row, entry in enumerate(self.regions) if entry.focused), None)

    def headline(self) -> str:
        """Total and alignment in one line."""
        barriers = [entry.region for entry in self.regions if entry.role == "barrier"]
        stages = [entry.region for entry in self.regions if entry.role == "stage"]
        placed = bool(stages) and stages[0].offset != NOWHERE
        parts = [tr("SharedStorage: {bytes} bytes", bytes=self.total_bytes)] if placed else []
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
        if placed:
            parts.append(
                tr(
                    "{n} x {bytes} bytes of tiles, {alignment}-byte aligned",
                    n=len(stages),
                    bytes=stages[0].size,
                    alignment=stages[0].alignment,
                )
            )
        elif stages:
            parts.append(
                trn(
                    "{n} stage buffer; the recording does not tell where it lies",
                    "{n} stage buffers; the recording does not tell where they lie",
                    len(stages),
                )
            )
        return "  |  ".join(parts)


def memory_map(history: History, step: int, lane: str | None = None) -> MemoryMap:
    """The map of the focused event's CTA after event `step`; focused: what `lane` names, else what the event is on."""
    cta = cta_at(history.trace, step)
    state = history.state_at(step)
    entries = _objects(history, state, cta)
    focused = lane if lane and any(entry.lane == lane for entry in entries) else _touched(history, step)
    return MemoryMap(
        cta=cta,
        total_bytes=max((entry.region.end for entry in entries), default=0),
        regions=tuple(replace(entry, focused=bool(entry.lane) and entry.lane == focused) for entry in entries),
    )


def _objects(history: History, state: State, cta: int) -> list[MapRegion]:
    """The lesson's layout where the barriers lie as it says; else the barriers, and after them the buffers of all
    rings."""
    trace, structure = history.trace, history.structure
    row_at = {trace.barriers[row].offset: row for row in cta_barriers(trace, cta)}
    row_at.pop(-1, None)
    facts = lesson_facts(trace.meta)
    storage = SharedStorage(facts["stages"], facts["tile_bytes"]) if facts else None
    if storage is None or sorted(row_at) != [BARRIER_BYTES * number for number in range(2 * storage.stages)]:
        places = structure.places_of(cta)
        return [
            *(_barrier(history, state, row_at[offset]) for offset in sorted(row_at)),
            *(_stage(history, state, place, NOWHERE, 0, DATA_ALIGNMENT) for place in range(places.start, places.stop)),
        ]
    entries: list[MapRegion] = []
    for region in storage.regions():
        if region.offset in row_at:
            entries.append(_barrier(history, state, row_at[region.offset]))
        elif region.offset < storage.data_offset:
            entries.append(MapRegion(region, "padding", -1, "", "empty", "", "padding", focused=False))
        else:
            stage = (region.offset - storage.data_offset) // storage.stage_bytes
            place = int(structure.place_of[row_at[storage.full_offset(stage)]])
            if place >= 0:
                entries.append(_stage(history, state, place, region.offset, region.size, region.alignment))
            else:
                entries.append(MapRegion(region, "stage", -1, "", "empty", "", tr("unknown"), focused=False))
    return entries


def _touched(history: History, step: int) -> str | None:
    row = int(history.trace.events["barrier"][step])
    if row >= 0:
        return history.trace.barriers[row].name
    place = history.event_places.at(step)
    return stage_lane(history, place) if place >= 0 else None


def _barrier(history: History, state: State, row: int) -> MapRegion:
    barrier = history.trace.barriers[row]
    region = Region(
        barrier_name(history.trace, history.structure, row), barrier.offset, BARRIER_BYTES, BARRIER_ALIGNMENT
    )
    return MapRegion(region, "barrier", row, barrier.name, *_barrier_state(history, state, row), focused=False)


def _stage(history: History, state: State, place: int, offset: int, size: int, alignment: int) -> MapRegion:
    word, tile = STAGE_STATES[state.stage_state[place]], int(state.stage_tile[place])
    held = state_word(word)
    label, text = (f"tile {tile}", f"tile {tile}, {held}") if tile >= 0 else (held, held)
    region = Region(stage_name(history, place), offset, size, alignment)
    return MapRegion(region, "stage", place, stage_lane(history, place), word, label, text, focused=False)


def _barrier_state(history: History, state: State, row: int) -> tuple[str, str, str]:
    """Paint, label and sentence of a barrier."""
    if not state.barrier_valid[row]:
        return "empty", "-", tr("not initialised")
    now = history.barrier_at(row, state.step)
    text = tr(
        "#{phase} (parity {parity}), arrived {arrived}",
        phase=number_of(now),
        parity=parity_of(now),
        arrived=arrived_of(now),
    )
    if landed := landed_at(history, row, state.step).text:
        text = tr("{arrived}, landed {bytes}", arrived=text, bytes=landed)
    return parity_paint(now), parity_of(now), text
