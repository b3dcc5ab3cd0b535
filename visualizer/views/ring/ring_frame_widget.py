"""What of a ring stays from step to step: the sizes of all that is text, and where the segments lie around it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QFont, QFontMetricsF

from visualizer.diagnosis.arrived import bytes_of
from visualizer.diagnosis.wording import state_word
from visualizer.language import mark, tr
from visualizer.recording.trace import Trace
from visualizer.views.look.pane_look_widget import mono_font, scaled_font
from visualizer.views.look.theme import GLYPHS
from visualizer.views.ring.ring_layout import Box, RingLayout, lay_out, lay_out_few
from visualizer.views.ring.ring_model import phase_bytes
from visualizer.views.ring.ring_picture import Ring, RingCursor

NO_TILE = mark("no tile")
SEGMENT_LINES = (
    ("stage", "tile", "state"), ("stage", "tile", "sign"), ("tile", "state"), ("mark",), ("sign", "held"), ("brief",),
    ("sign",),
)  # fmt: skip
"""What a segment says. Where text may not shrink, less: the sign is the state's glyph, held the tile if there is one,
the mark both, and brief the sign with the tile's number."""
SEGMENT_SHARES = {"stage": 0.75, "tile": 1.25, "state": 0.9, "sign": 0.9, "mark": 1.25, "held": 1.25, "brief": 1.25}
"""Sizes of a segment's lines over the ring's text."""
SEGMENT_TEXT_SCALES = tuple(1.6 - 0.1 * k for k in range(12))

CARDS_AT_LEAST = 2
"""A ring with no room for the cards of all stages has so many."""
_UNTOLD_COUNT = 128
"""Room for counts of so many arrivals where the tables do not tell them: a warpgroup's."""


class TextSizes:
    """Fonts and the sizes of everything made of text, for one text size and one recording."""

    def __init__(
        self,
        base: QFont,
        scale: float,
        trace: Trace,
        shown: Ring,
        last_tile: str,
        owed: frozenset[str],
        smallest: int = 0,
        compact: bool = False,
        few: bool = False,
    ) -> None:
        """`shown`: the ring, for its stages and whether it has a title; `last_tile`: the longest tile title of the
        recording, so that text keeps its size from step to step; `owed`: the kinds of barriers that a line about who
        owes arrivals needs room in; `smallest`: pixels that no text goes below; `compact`: the cards give counts as
        numbers only, without bars; `few`: two stages at a time have cards.
        """
        self.trace = trace
        self.stages, self.has_title = len(shown.stages), bool(shown.title)
        self.last_tile = last_tile
        self.smallest = smallest
        self.compact = compact
        self.few = few and self.stages > CARDS_AT_LEAST
        self.text = scaled_font(base, scale, smallest=smallest)
        self.bold = scaled_font(base, scale, bold=True, smallest=smallest)
        self.number = mono_font(base, scale, smallest=smallest)
        self.number_bold = mono_font(base, scale, bold=True, smallest=smallest)
        metrics = QFontMetricsF(self.number)
        self.char = metrics.horizontalAdvance("0")
        self.line = metrics.height()
        self.row = self.line * 1.2
        self.pad = self.char * 0.8
        counts = max((barrier.init_count for barrier in trace.barriers), default=1) or _UNTOLD_COUNT
        titles = ["empty[0]", *(barrier.own_name for stage in shown.stages for barrier in stage.barriers)]
        self.label = max(map(QFontMetricsF(self.text).horizontalAdvance, titles))
        self.arrived = self.char * len(f"{counts}/{counts}")
        self.bar = 0.0 if compact else self.char * 4
        total = phase_bytes(trace)
        self.bytes = self.char * max(len(bytes_of(some, total)) for some in (total - 1, total)) if total else 0.0
        upper = self.label + self.row + self.bar + self.arrived + 3 * self.pad
        word = 0.0 if compact else QFontMetricsF(self.text).horizontalAdvance("bytes")
        lower = word + self.bytes + 0.6 * self.bar + 2 * self.pad
        self.rows = {"full": 1 + bool(total) + ("full" in owed), "empty": 1 + ("empty" in owed)}
        cards = [[self.rows[barrier.kind] for barrier in stage.barriers] for stage in shown.stages]
        height = max([sum(rows) * self.row + (0.6 * len(rows) + 1.0) * self.pad for rows in cards], default=0.0)
        self.card = (max(upper, lower) + 2 * self.pad, self.row + height)
        self.pointer = self.line * 0.8
        self.margin = self.char * 0.7
        self.title = max(self.row, QFontMetricsF(self.bold).height())

    def lay_out(self, bounds: Box) -> RingLayout:
        """The layout at this text size; the title takes a line from the top."""
        top = self.title + self.margin if self.has_title else 0.0
        inset = self.margin
        box = Box(bounds.x + inset, bounds.y + inset + top, bounds.width - 2 * inset, bounds.height - 2 * inset - top)
        how = lay_out_few if self.few else lay_out
        return how(box, max(self.stages, 1), self.card, self.pointer, self.margin)


def consumer_lines(cursor: RingCursor, brief: int = 0) -> tuple[str, ...]:
    """What a consumers' label says: who does what, then the PipelineState. Briefer: narrower, without it, only who."""
    narrow = tuple(word for names, activity in cursor.groups for word in (names, tr(activity)) if word)
    who = " ".join(names for names, _ in cursor.groups)
    return ((*cursor.lines, cursor.state_text), (*narrow, cursor.state_text), narrow, (who,))[brief]


class RingFrame:
    """What stays from step to step in one pane at one text size: the layout and the segments' fonts."""

    def __init__(self, sizes: TextSizes, bounds: Box) -> None:
        self.sizes = sizes
        self.bounds = bounds
        self.layout = sizes.lay_out(bounds)
        self.segment_lines, self.segment_fonts = self._segment_text()

    def segment_text_centre(self, stage: int) -> tuple[float, float]:
        return self.layout.point(self.layout.angles[stage], (self.layout.outer + self.layout.inner) / 2)

    def segment_texts(self, stage: int, state: str, tile: int) -> list[tuple[str, QFont, Box]]:
        """What a stage's segment says, line by line: the text, its font and the box that it takes."""
        glyph, title = GLYPHS[state], f"tile {tile}" if tile >= 0 else tr(NO_TILE)
        texts = {
            "stage": f"stage {stage}",
            "tile": title,
            "state": f"{glyph} {state_word(state)}",
            "mark": f"{glyph} {title if tile >= 0 else ''}".rstrip(),
            "held": title if tile >= 0 else "",
            "brief": f"{glyph}{tile if tile >= 0 else ''}",
            "sign": glyph,
        }
        x, y = self.segment_text_centre(stage)
        metrics = [QFontMetricsF(font) for font in self.segment_fonts]
        top, placed = y - sum(m.height() for m in metrics) / 2, []
        for line, font, m in zip(self.segment_lines, self.segment_fonts, metrics, strict=True):
            width = m.horizontalAdvance(texts[line])
            placed.append((texts[line], font, Box(x - width / 2, top, width, m.height())))
            top += m.height()
        return placed

    def _segment_text(self) -> tuple[tuple[str, ...], list[QFont]]:
        """The lines in a segment and their fonts, the same in all segments and at all steps."""
        widest = {
            "stage": f"stage {len(self.layout.angles)}",
            "tile": self._widest((tr(NO_TILE), self.sizes.last_tile)),
            "state": self._widest(f"{glyph} {state_word(state)}" for state, glyph in GLYPHS.items()),
            "mark": self._widest(f"{glyph} {self.sizes.last_tile}" for glyph in GLYPHS.values()),
            "held": self.sizes.last_tile,
            "brief": self._widest(f"{glyph}{self.sizes.last_tile.split()[-1]}" for glyph in GLYPHS.values()),
            "sign": self._widest(GLYPHS.values()),
        }
        smallest = self.sizes.smallest
        for lines in SEGMENT_LINES if smallest else SEGMENT_LINES[:1]:
            for scale in SEGMENT_TEXT_SCALES:
                shares = [SEGMENT_SHARES[line] for line in lines]
                fonts = [
                    scaled_font(self.sizes.text, scale * share, bold=share > 1.0, smallest=smallest) for share in shares
                ]
                if self._fits([widest[line] for line in lines], fonts):
                    return lines, fonts
        return lines, fonts

    def _widest(self, texts: Iterable[str]) -> str:
        return max(texts, key=QFontMetricsF(self.sizes.text).horizontalAdvance)

    def _fits(self, texts: list[str], fonts: list[QFont]) -> bool:
        """Whether lines of these texts lie within every segment, clear of its outline."""
        metrics = [QFontMetricsF(font) for font in fonts]
        clear = 0.4 * self.sizes.pad
        for stage in range(len(self.layout.angles)):
            x, y = self.segment_text_centre(stage)
            top = y - sum(m.height() for m in metrics) / 2
            for text, m in zip(texts, metrics, strict=True):
                width = m.horizontalAdvance(text)
                box = Box(x - width / 2 - clear, top - clear, width + 2 * clear, m.height() + 2 * clear)
                if not self.layout.in_segment(stage, box):
                    return False
                top += m.height()
        return True
