"""The error of a story that cannot be told: apart, since who tells it need not know what stories are made of."""

from __future__ import annotations


class StoryError(ValueError):
    """A story that cannot be told. Each problem is one sentence that names file, chapter, step and key."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
