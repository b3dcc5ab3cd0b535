"""The language people are spoken to in: English in the code, other languages from assets/locale.

A message is written in English where it is used, `tr("{count} events", count=n)`, and looked up when it is shown, so
the language can change while the window is open. Technical tokens (mbarrier, phase, stage, expect_tx) are part of the
message and stay English in every language.
"""

from visualizer.language.catalog import LANGUAGES, current, mark, preferred, speaking, tr, trn, use

__all__ = ["LANGUAGES", "current", "mark", "preferred", "speaking", "tr", "trn", "use"]
