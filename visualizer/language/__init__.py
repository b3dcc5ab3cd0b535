"""The language people are spoken to in: English in the code, other languages from assets/locale.

A message is written in English where it is used, `tr("{count} events", count=n)`, and looked up when it is shown, so
the language can change while the window is open. Technical tokens (mbarrier, phase, stage, expect_tx) are part of the
message and stay English in every language.
"""

from visualizer.language.catalog import (
    ENVIRONMENT,
    LANGUAGES,
    current,
    mark,
    messages_shown,
    preferred,
    shown_as,
    speaking,
    tr,
    trn,
    use,
)
from visualizer.language.endings import recorded

__all__ = [
    "ENVIRONMENT",
    "LANGUAGES",
    "current",
    "mark",
    "messages_shown",
    "preferred",
    "recorded",
    "shown_as",
    "speaking",
    "tr",
    "trn",
    "use",
]
