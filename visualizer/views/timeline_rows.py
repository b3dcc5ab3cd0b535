"""Which lanes the timeline shows, and in what order: pinned ones first, CTAs folded to one lane, a filter. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from visualizer.views.lanes import Lane

_EXPANDED = 100
"""With more lanes than this a recording opens with all CTAs but the first collapsed."""


class LaneRows:
    """`shown` is what the timeline draws, top to bottom; its first `pinned` rows stay while the others scroll."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.lanes = list(lanes)
        self.ctas = sorted({lane.cta for lane in lanes if lane.kind == "cta"})
        self.filter = ""
        self._only: frozenset[str] = frozenset()
        self._pins: list[str] = []
        self._collapsed: set[int] = set(self.ctas[1:]) if len(self.lanes) > _EXPANDED else set()
        self.shown: list[Lane]
        self.pinned: int
        self._update()

    def row_of(self, key: str) -> int | None:
        """The row of a lane; of one in a collapsed CTA the CTA's row; None if neither is shown."""
        return self._rows.get(key, self._rows.get(self._cta_of.get(key, "")))

    def is_collapsed(self, cta: int) -> bool:
        return cta in self._collapsed

    @property
    def all_collapsed(self) -> bool:
        return bool(self.ctas) and len(self._collapsed) == len(self.ctas)

    def is_pinned(self, key: str) -> bool:
        return key in self._pins

    def toggle_cta(self, cta: int) -> None:
        """Fold a CTA's lanes to its summary, or unfold them."""
        if cta in self.ctas:
            self._collapsed ^= {cta}
            self._update()

    def collapse_all(self, collapse: bool) -> None:
        self._collapsed = set(self.ctas) if collapse else set()
        self._update()

    def toggle_pin(self, key: str) -> None:
        """Keep a lane at the top, below those pinned before, or let it go."""
        if key in self._pins:
            self._pins.remove(key)
        elif any(lane.key == key for lane in self.lanes):
            self._pins.append(key)
        self._update()

    def set_filter(self, text: str) -> None:
        """Show only lanes with every word of `text` in their key or kind, whatever is collapsed; "" shows all again."""
        self.filter = text.strip().lower()
        self._update()

    def show_only(self, keys: frozenset[str]) -> None:
        """Show the lanes with these keys and no others; none shows all again."""
        if keys != self._only:
            self._only = keys
            self._update()

    def _update(self) -> None:
        by_key = {lane.key: lane for lane in self.lanes}
        pins = [by_key[key] for key in self._pins]
        others = [lane for lane in self.lanes if lane.key not in self._pins and self._wanted(lane)]
        self.shown, self.pinned = pins + others, len(pins)
        self._rows = {lane.key: row for row, lane in enumerate(self.shown)}
        self._cta_of = {lane.key: f"CTA{lane.cta}" for lane in self.lanes}

    def _wanted(self, lane: Lane) -> bool:
        if self._only:
            return lane.key in self._only
        if self.filter:
            text = f"{lane.key} {lane.kind}".lower()
            return all(word in text for word in self.filter.split())
        return lane.kind == "cta" or lane.cta not in self._collapsed
