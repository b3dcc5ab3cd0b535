"""Which lanes the timeline shows, in what order: pinned ones first, CTAs, warps and rings folded, a filter. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from visualizer.views.timeline.lanes.lanes import Lane

_EXPANDED = 100
"""With more lanes than this a recording opens with all CTAs but the first collapsed."""


class LaneRows:
    """`shown` is what the timeline draws, top to bottom; its first `pinned` rows stay while the others scroll."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.lanes = list(lanes)
        self.ctas = sorted({lane.cta for lane in lanes if lane.kind == "cta"})
        self.filter = ""
        self._by_key = {lane.key: lane for lane in lanes}
        self._only: frozenset[str] = frozenset()
        self._pins: list[str] = []
        # Warps that do the same open as one lane; rings open unfolded.
        self._collapsed = {lane.key for lane in lanes if lane.kind == "warps"}
        if len(self.lanes) > _EXPANDED:
            self._collapsed |= {lane.key for lane in lanes if lane.kind == "cta" and lane.cta != self.ctas[0]}
        self.shown: list[Lane]
        self.pinned: int
        self.headed: bool  # whether any of the lanes shown is a CTA's own
        self._update()

    def row_of(self, key: str) -> int | None:
        """The row of a lane; of one that is folded, that of the lane it is folded into; None if neither is shown."""
        while key not in self._rows and key in self._by_key:
            key = self._by_key[key].parent
        return self._rows.get(key)

    def depth(self, lane: Lane) -> int:
        """How many of the lanes shown head this one, one within the other."""
        above = self._by_key.get(lane.parent)
        return 0 if above is None else int(above.key in self._rows) + self.depth(above)

    def single(self) -> tuple[Lane, ...]:
        """The lanes that head none, and that are shown or folded into warps or rings that are."""
        rows = ((lane, self.row_of(lane.key)) for lane in self.lanes if not lane.folds)
        return tuple(lane for lane, row in rows if row is not None and self.shown[row].kind != "cta")

    @property
    def pins(self) -> tuple[str, ...]:
        """Keys of the pinned lanes, the topmost first."""
        return tuple(self._pins)

    def is_collapsed(self, key: str) -> bool:
        """Whether what the lane heads is folded into it, and no filter shows it nevertheless."""
        return key in self._collapsed and key not in self._heading

    @property
    def collapsed(self) -> frozenset[str]:
        """Keys of the lanes into which others are folded."""
        return frozenset(self._collapsed)

    @property
    def all_collapsed(self) -> bool:
        """Whether every lane that folds others, and is not folded itself, has folded them."""
        return bool(self._outermost()) and self._outermost() <= self._collapsed

    def is_pinned(self, key: str) -> bool:
        return key in self._pins

    def toggle(self, key: str) -> None:
        """Fold what a lane heads, or unfold it; of any other lane, fold what it is part of."""
        lane = self._by_key.get(key)
        fold = lane if lane is None or lane.folds else self._by_key.get(lane.parent)
        if fold is not None:
            self._collapsed ^= {fold.key}
            self._update()

    def unfold_cta(self, key: str) -> None:
        """Unfold the CTA that a lane is part of, if it is folded."""
        lane = self._by_key.get(key)
        while lane is not None and lane.kind != "cta":
            lane = self._by_key.get(lane.parent)
        if lane is not None and lane.key in self._collapsed:
            self.toggle(lane.key)

    def collapse_all(self, collapse: bool) -> None:
        """Fold into the outermost lanes, CTAs if there are several, or unfold these."""
        self._collapsed = self._collapsed | self._outermost() if collapse else self._collapsed - self._outermost()
        self._update()

    def collapse_only(self, keys: Iterable[str]) -> None:
        """Fold into the lanes with these keys and no others."""
        self._collapsed = set(keys)
        self._update()

    def toggle_pin(self, key: str) -> None:
        """Keep a lane at the top, below those pinned before, or let it go."""
        if key in self._pins:
            self._pins.remove(key)
        elif key in self._by_key:
            self._pins.append(key)
        self._update()

    def set_filter(self, text: str) -> None:
        """Show only lanes with every word of `text` in their name, kind or what they are folded into, whatever is
        collapsed; "" shows all again."""
        self.filter = text.strip().lower()
        self._update()

    def show_only(self, keys: frozenset[str]) -> None:
        """Show the lanes with these keys and no others; none shows all again."""
        if keys != self._only:
            self._only = keys
            self._update()

    def _outermost(self) -> set[str]:
        return {lane.key for lane in self.lanes if lane.folds and lane.parent not in self._by_key}

    def _update(self) -> None:
        pins = [self._by_key[key] for key in self._pins]
        others = [lane for lane in self._wanted() if lane.key not in self._pins]
        self.shown, self.pinned = pins + others, len(pins)
        self.headed = any(lane.kind == "cta" for lane in self.shown)
        self._rows = {lane.key: row for row, lane in enumerate(self.shown)}
        self._heading = {lane.parent for lane in others}

    def _wanted(self) -> list[Lane]:
        if self._only:
            return [lane for lane in self.lanes if lane.key in self._only]
        if self.filter:
            words = self.filter.split()
            return [lane for lane in self.lanes if all(word in _text(lane) for word in words)]
        closed = set(self._collapsed)
        wanted = []
        for lane in self.lanes:
            if lane.parent not in closed:
                wanted.append(lane)
            elif lane.folds:
                closed.add(lane.key)
        return wanted


def _text(lane: Lane) -> str:
    """What the filter looks at."""
    return f"{lane.key} {lane.title} {lane.kind} {lane.parent}".lower()
