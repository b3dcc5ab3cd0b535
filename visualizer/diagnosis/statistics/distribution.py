"""A distribution in a few numbers and a small histogram: what a table prints and a pane draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 24


@dataclass(frozen=True, slots=True)
class Distribution:
    """`counts` has BINS entries between `edges` (BINS + 1); both are () if there is no value. In the values' unit.

    The histogram ends at the 99th percentile; what lies beyond is in its last bin: one straggler must not flatten it.
    """

    count: int = 0
    least: float = 0.0
    p5: float = 0.0
    median: float = 0.0
    p95: float = 0.0
    most: float = 0.0
    mean: float = 0.0
    edges: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()

    @classmethod
    def of(cls, values: NDArray[Any], among: Distribution | None = None) -> Distribution:
        """The distribution of `values`, any length; with the edges of the one that they are `among`."""
        if not len(values):
            return cls()
        data = np.asarray(values, np.float64)
        least, p5, median, p95, p99, most = np.percentile(data, [0, 5, 50, 95, 99, 100]).tolist()
        top = p99 if p99 > least else most
        edges = np.linspace(least, top if top > least else least + 1, BINS + 1)
        if among is not None:
            edges = np.array(among.edges)
        counts, _ = np.histogram(np.minimum(data, edges[-1]), edges)
        return cls(
            len(data),
            least,
            p5,
            median,
            p95,
            most,
            float(data.mean()),
            tuple(edges.tolist()),
            tuple(counts.tolist()),
        )

    def as_json(self, scale: float = 1.0) -> dict[str, Any] | None:
        """The numbers divided by `scale`; None if there is no value."""
        if not self.count:
            return None
        names = ("least", "p5", "median", "p95", "most", "mean")
        numbers = {name: round(getattr(self, name) / scale, 3) for name in names}
        histogram = {"edges": [round(edge / scale, 3) for edge in self.edges], "counts": list(self.counts)}
        return {"count": self.count, **numbers, "histogram": histogram}
