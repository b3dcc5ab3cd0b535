"""The rings of a recording for `phasescope show`: what is known of its structure and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from visualizer.cli.show_text import aligned
from visualizer.language import tr
from visualizer.recording.trace import Trace
from visualizer.structure.model import TOLD, Structure


def rings_document(trace: Trace, structure: Structure) -> list[dict[str, Any]]:
    """Every CTA's rings, with barriers and agents by name."""
    barrier = [barrier.name for barrier in trace.barriers]
    agent = [agent.name for agent in trace.agents]
    return [
        {
            "name": ring.name,
            "cta": ring.cta,
            "stages": ring.stages,
            "full": [[barrier[row] for row in stage] for stage in ring.full],
            "empty": [[barrier[row] for row in stage] for stage in ring.empty],
            "producers": [agent[row] for row in ring.producers],
            "consumers": [agent[row] for row in ring.consumers],
            "confidence": ring.confidence,
            "why": ring.why,
        }
        for ring in structure.rings
    ]


def rings_text(structure: Structure, rings: Sequence[Mapping[str, Any]]) -> str:
    """The first CTA's rings, a line each; "" where a program told them."""
    lines: list[str] = []
    if structure.unknown:
        lines.append(tr("rings: unknown, {why}", why=structure.unknown))
    if len(structure.names) > 1 or any(ring.confidence < TOLD for ring in structure.rings):
        first = [ring for ring in rings if ring["cta"] == rings[0]["cta"]]
        titles = [tr("ring"), tr("stages"), tr("full from"), tr("empty from"), tr("sure"), tr("because")]
        rows = [
            (
                ring["name"],
                ring["stages"],
                next(iter(ring["full"][0]), None),
                next(iter(ring["empty"][0]), None),
                f"{ring['confidence']:.0%}",
                ring["why"] or tr("it was told"),
            )
            for ring in first
        ]
        lines.append(aligned([titles, *rows]))
    return "\n".join(lines)
