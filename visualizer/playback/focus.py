"""Focus: the event looked at and the lane selected; and where the focus has been, to go back to."""

from __future__ import annotations

from dataclasses import dataclass

_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Focus:
    """The whole state of looking at a recording: every pane is a function of the trace and this."""

    step: int
    lane: str | None = None  # key of the selected lane: "producer", "full[0]", "stage[1]", "tma"


class FocusHistory:
    """Back and forward, as in a browser: a new visit forgets what lay ahead. Keeps the latest 1000."""

    def __init__(self) -> None:
        self._visited: list[Focus] = []
        self._at = -1

    @property
    def current(self) -> Focus | None:
        return self._visited[self._at] if self._visited else None

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at < len(self._visited) - 1

    def visit(self, focus: Focus) -> None:
        """Go to a new focus; going to the current one again is no visit."""
        if focus == self.current:
            return
        del self._visited[self._at + 1 :]
        self._visited.append(focus)
        del self._visited[:-_KEPT]
        self._at = len(self._visited) - 1

    def back(self) -> Focus | None:
        """The focus before the current one, now current; None if there is none."""
        if not self.can_go_back:
            return None
        self._at -= 1
        return self._visited[self._at]

    def forward(self) -> Focus | None:
        """The focus after the current one, now current; None if there is none."""
        if not self.can_go_forward:
            return None
        self._at += 1
        return self._visited[self._at]

    def clear(self) -> None:
        """Forget everything: another recording was opened."""
        self._visited.clear()
        self._at = -1
