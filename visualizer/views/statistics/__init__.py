"""Statistics, predictions, and what a probe saw."""
