"""Programs and recordings that are wrong in ways no named fault is, so that each sentence of a diagnosis is said."""
from __future__ import annotations
WRONG = {}
