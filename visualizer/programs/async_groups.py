"""Which of an agent's asynchronous operations each wait for groups sees done: its list of operations alone tells."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

Started = TypeVar("Started")


class Groups(Generic[Started]):
    """An agent's wgmma or bulk stores that no wait has seen done, oldest first, and the groups they are committed in.

    As in PTX, a group is what was started since the last commit, and may be empty; a wait for groups does not wait for
    what is not committed.
    """

    def __init__(self) -> None:
        self._open: deque[tuple[int, Started]] = deque()  # each with the number of its group
        self._committed = 0

    def start(self, operation: Started) -> None:
        self._open.append((self._committed, operation))

    def commit(self) -> None:
        self._committed += 1

    def but_latest(self, keep: int) -> list[Started]:
        """Take out all but the `keep` latest operations, each by itself, committed or not."""
        return [self._open.popleft()[1] for _ in range(len(self._open) - keep)]

    def but_latest_groups(self, keep: int) -> list[Started]:
        """Take out the operations of all groups but the `keep` latest."""
        done: list[Started] = []
        while self._open and self._open[0][0] < self._committed - keep:
            done.append(self._open.popleft()[1])
        return done

    def rest(self) -> list[Started]:
        """What no wait has seen done."""
        return [operation for _, operation in self._open]
