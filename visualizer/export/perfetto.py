"""Perfetto's own format (protobuf): what ui.perfetto.dev and the trace processor's SQL read best.

A track per CTA holds one per lane; a barrier's pending and tx are counter tracks below its lane, releases are flows
from the phase that completed to the wait it ended. Perfetto counts in whole nanoseconds: the picosecond of each event
is in its `time_ps` argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.export.errors import needed
from visualizer.export.lane_tracks import Counter, Instants, Slices, Track, flows, tracks
from visualizer.export.selection import Selection
from visualizer.export.writing import Writing, chunks
from visualizer.language import mark, tr
from visualizer.recording.schema import PS_PER_NS
from visualizer.views.timeline.lanes.text import own_name

_SEQUENCE = 1  # all packets are of one sequence: they share its interned texts
_STEP, _AMOUNT, _TIME = 1, 2, 3  # interned names of the arguments
_TRACKS_A_LANE = 256  # at most: a copy engine has one per stage


def write_perfetto(selection: Selection, writing: Writing) -> None:
    """The selection as one Trace message. ExportError if the perfetto package is not installed."""
    schema = needed("perfetto.protos.perfetto.trace.perfetto_trace_pb2", "perfetto", mark("Perfetto traces"))
    packets = _Packets(schema, writing)
    found = flows(selection)
    ids = np.arange(1, len(found.source) + 1)
    by_target = np.argsort(found.target)
    ends = dict(zip(found.target[by_target].tolist(), ids[by_target].tolist(), strict=True))
    starts: dict[int, list[int]] = {}
    for step, number in zip(found.source.tolist(), ids.tolist(), strict=True):
        starts.setdefault(step, []).append(number)
    for cta in sorted({lane.cta for lane in selection.lanes}):
        packets.track(_cta_uuid(cta), 0, cta, f"CTA {cta}")
    # Barriers first: of a flow's two ends within one nanosecond the reader must see the beginning first.
    rank = {lane.key: number * _TRACKS_A_LANE for number, lane in enumerate(selection.lanes)}
    in_order = replace(selection, lanes=tuple(sorted(selection.lanes, key=lambda lane: lane.kind != "barrier")))
    for number, track in enumerate(tracks(in_order), start=1):
        uuid = number << 4  # room for its counters
        packets.track(uuid, _cta_uuid(track.lane.cta), rank[track.lane.key], track.title, own_name(track.lane))
        rank[track.lane.key] += 1
        packets.slices(uuid, track.slices, starts if track.lane.kind == "barrier" else {})
        if track.instants is not None:
            packets.instants(uuid, track.instants, ends)
        for below, counter in enumerate(track.counters, start=1):
            packets.counter_track(uuid + below, uuid, counter, track)
            packets.counter(uuid + below, counter)
        writing.reached(number / len(selection.lanes), tr("writing {name}", name=track.title))


class _Packets:
    """Writes packets one after the other, each in the message object of its kind: making one costs most of the time."""

    def __init__(self, schema: Any, writing: Writing) -> None:
        self._schema = schema
        self._writing = writing
        self._interned: dict[str, int] = {}
        first = schema.TracePacket(
            trusted_packet_sequence_id=_SEQUENCE, sequence_flags=schema.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        )
        for iid, name in ((_STEP, "step"), (_AMOUNT, "amount"), (_TIME, "time_ps")):
            first.interned_data.debug_annotation_names.add(iid=iid, name=name)
        writing.file.write(_framed(first.SerializeToString()))

    def track(self, uuid: int, parent: int, rank: int, name: str, description: str = "") -> None:
        packet = self._packet()
        packet.track_descriptor.uuid = uuid
        packet.track_descriptor.name = name
        if description:
            packet.track_descriptor.description = description
        packet.track_descriptor.parent_uuid = parent
        packet.track_descriptor.sibling_order_rank = rank
        packet.track_descriptor.child_ordering = self._schema.TrackDescriptor.EXPLICIT
        self._write(packet)

    def counter_track(self, uuid: int, parent: int, counter: Counter, track: Track) -> None:
        packet = self._packet()
        packet.track_descriptor.uuid = uuid
        packet.track_descriptor.parent_uuid = parent
        packet.track_descriptor.name = f"{track.title} {counter.name}"
        packet.track_descriptor.counter.unit_name = counter.unit
        self._write(packet)

    def slices(self, uuid: int, slices: Slices, starts: dict[int, list[int]]) -> None:
        """Begin and end of each; `starts`: the flows that begin with the event of a step."""
        event_type = self._schema.TrackEvent
        begin, end = self._packet(), self._packet()
        event = begin.track_event
        event.type, event.track_uuid = event_type.TYPE_SLICE_BEGIN, uuid
        step, time = (event.debug_annotations.add(name_iid=iid) for iid in (_STEP, _TIME))
        end.track_event.type, end.track_event.track_uuid = event_type.TYPE_SLICE_END, uuid
        names = self._intern(slices.texts)
        write = self._writing.file.write
        for at, until, first_step, text in self._rows(slices.start, slices.end, slices.step, slices.text):
            begin.timestamp, end.timestamp = at // PS_PER_NS, until // PS_PER_NS
            event.name_iid = names[text]
            step.int_value, time.int_value = first_step, at
            flow = starts.get(first_step)
            if flow is not None:
                event.flow_ids.extend(flow)
            write(_framed(begin.SerializeToString()))
            write(_framed(end.SerializeToString()))
            if flow is not None:
                event.ClearField("flow_ids")

    def instants(self, uuid: int, instants: Instants, ends: dict[int, int]) -> None:
        """`ends`: the flow that ends at the event of a step."""
        packet = self._packet()
        event = packet.track_event
        event.type, event.track_uuid = self._schema.TrackEvent.TYPE_INSTANT, uuid
        step, amount, time = (event.debug_annotations.add(name_iid=iid) for iid in (_STEP, _AMOUNT, _TIME))
        names = self._intern(instants.texts)
        columns = (instants.time, instants.step, instants.amount, instants.text)
        for at, own_step, own_amount, text in self._rows(*columns):
            packet.timestamp = at // PS_PER_NS
            event.name_iid = names[text]
            step.int_value, amount.int_value, time.int_value = own_step, own_amount, at
            flow = ends.get(own_step)
            if flow is not None:
                event.terminating_flow_ids.append(flow)
            self._write(packet)
            if flow is not None:
                event.ClearField("terminating_flow_ids")

    def counter(self, uuid: int, counter: Counter) -> None:
        packet = self._packet()
        event = packet.track_event
        event.type, event.track_uuid = self._schema.TrackEvent.TYPE_COUNTER, uuid
        for at, value in self._rows(counter.time, counter.value):
            packet.timestamp = at // PS_PER_NS
            event.counter_value = value
            self._write(packet)

    def _rows(self, *columns: NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
        for chunk in chunks(len(columns[0])):
            if self._writing.cancelled():
                self._writing.reached(0, "")
            yield from zip(*(column[chunk].tolist() for column in columns), strict=True)

    def _intern(self, texts: list[str]) -> list[int]:
        """The numbers of the texts, told to the reader where they are new."""
        packet = self._packet()
        for text in dict.fromkeys(texts):
            if text not in self._interned:
                self._interned[text] = len(self._interned) + 1
                packet.interned_data.event_names.add(iid=self._interned[text], name=text)
        self._write(packet)
        return [self._interned[text] for text in texts]

    def _packet(self) -> Any:
        return self._schema.TracePacket(
            trusted_packet_sequence_id=_SEQUENCE,
            sequence_flags=self._schema.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE,
        )

    def _write(self, packet: Any) -> None:
        self._writing.file.write(_framed(packet.SerializeToString()))


def _cta_uuid(cta: int) -> int:
    return (cta + 1) << 40  # beyond every lane's


def _framed(packet: bytes) -> bytes:
    """The packet as field 1 of a Trace: tag, length as a varint, content."""
    size, length = len(packet), bytearray(b"\x0a")
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    return bytes(length) + packet
