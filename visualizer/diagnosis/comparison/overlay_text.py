"""An overlay in words: how far b was moved, and of each agent how often and how long the two are not in one state."""

from __future__ import annotations

from typing import Any

from visualizer.diagnosis.comparison.compare_overlay import Overlay, OverlayLane, anchor_word
from visualizer.diagnosis.wording import duration
from visualizer.language import tr, trn


def overlay_head(overlay: Overlay) -> str:
    """Where they are aligned, and what that did to b."""
    what, cta, at = anchor_word(overlay.anchor), overlay.anchor.cta, duration(overlay.at)
    if overlay.shift == 0:
        return tr("aligned at {what} of CTA {cta}, which is in at {at} of both", what=what, cta=cta, at=at)
    fields = {"what": what, "cta": cta, "at": at, "shift": duration(abs(overlay.shift))}
    if overlay.shift > 0:
        return tr("aligned at {what} of CTA {cta}, which is in at {at} of a: b is drawn {shift} later", **fields)
    return tr("aligned at {what} of CTA {cta}, which is in at {at} of a: b is drawn {shift} earlier", **fields)


def lane_text(lane: OverlayLane) -> str:
    """One agent, in a line."""
    if not len(lane.differs):
        return tr("{agent}: in the same state throughout", agent=lane.name)
    total = int((lane.differs[:, 1] - lane.differs[:, 0]).sum())
    return trn(
        "{agent}: not in the same state in {n} stretch, {total}",
        "{agent}: not in the same state in {n} stretches, {total} together",
        len(lane.differs),
        agent=lane.name,
        total=duration(total),
    )


def overlay_text(overlay: Overlay) -> list[str]:
    """The whole of it, a line each."""
    return [overlay_head(overlay), *(lane_text(lane) for lane in overlay.lanes)]


def overlay_json(overlay: Overlay) -> dict[str, Any]:
    """The same for scripts; times are ps on a's axis."""
    anchor = overlay.anchor
    return {
        "by": "use" if anchor.by_use else "tile",
        "number": anchor.number,
        "cta": anchor.cta,
        "ring": anchor.ring,
        "at_ps": overlay.at,
        "shift_ps": overlay.shift,
        "agents": [{"agent": lane.name, "differs_ps": lane.differs.tolist()} for lane in overlay.lanes],
    }
