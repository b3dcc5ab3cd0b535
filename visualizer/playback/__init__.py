"""Focus and player: which step is looked at and how it moves. No widgets."""
