"""Bars of shares that sum to 1, one below the other: as a Chart. Pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from visualizer.diagnosis.wording import commas
from visualizer.language import tr
from visualizer.views.charts.chart_model import Axis, Boxes, Chart, floats, with_unit

LEAST_SHOWN = 0.0005
"""Smaller shares are left out of a bar's text; the bar itself would be less than a pixel."""
_HALF = 0.38  # of a row: what a bar takes on each side of its middle


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a bar: the theme's Paint it is drawn in, what it means, and its share, 0..1."""

    role: str
    label: str
    share: float

    @property
    def texts(self) -> tuple[str, ...]:
        """What may stand in it, the longest first."""
        if self.share < LEAST_SHOWN:
            return ()
        share = f"{self.share:.0%}" if self.share >= 0.01 else f"{self.share:.1%}"
        return (f"{self.label} {share}", share)


@dataclass(frozen=True, slots=True)
class Bar:
    """Shares of one thing that sum to 1."""

    title: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The shares in words: the bar's twin for screen readers."""
        shares = commas([f"{part.label} {part.share:.1%}" for part in self.parts if part.share >= LEAST_SHOWN])
        return tr("{title}: {numbers}", title=self.title, numbers=shares)


def bars_chart(title: str, bars: Sequence[Bar]) -> Chart:
    """The first bar on top; parts of the same name in different bars are one series."""
    names: dict[tuple[str, str], list[tuple[float, float, int, tuple[str, ...]]]] = {}
    for row, bar in enumerate(bars):
        left = 0.0
        for part in bar.parts:
            right = left + 100 * part.share
            names.setdefault((part.label, part.role), []).append((left, right, row, part.texts))
            left = right
    series = []
    for (name, role), boxes in names.items():
        x0, x1, rows, texts = zip(*boxes, strict=True)
        middle = floats(rows)
        series.append(Boxes(name, role, floats(x0), floats(x1), middle - _HALF, middle + _HALF, texts))
    ticks = tuple((float(row), (bar.title,)) for row, bar in enumerate(bars))
    return Chart(
        title,
        "\n".join(bar.text for bar in bars),
        Axis(with_unit(tr("share of time"), "%")),
        Axis("", ticks, (-0.5, len(bars) - 0.5), down=True),
        tuple(series),
        rows=len(bars),
    )
