"""What can go wrong in a schedule: the marks that a step earns, which the search looks for and an outcome tells of."""

from __future__ import annotations

from enum import IntFlag


class Mark(IntFlag):
    """What has gone wrong so far in a schedule; a step's own marks are in `Machine.latest`."""

    WRITE_AFTER_READ = 1  # a copy is issued, or a write made, into a buffer that an agent is reading
    READ_BEFORE_DATA = 2  # a read begins and its tile's copies and writes are not all in
    OVERWRITE_UNREAD = 4  # ... over a tile that a reader still wants, or that is still landing
    STALE = 8  # a read begins and a later tile is in its place
    UNDEFINED = 16  # an operation that PTX leaves undefined
    UNFENCED = 32  # an asynchronous read begins of what was written, and no proxy fence came after the write


EXITED_CTA = "exited-cta"
"""The rule that an arrival or a copy breaks that reaches a CTA all of whose agents have left."""
RACES = Mark.WRITE_AFTER_READ | Mark.READ_BEFORE_DATA | Mark.OVERWRITE_UNREAD | Mark.STALE | Mark.UNFENCED
