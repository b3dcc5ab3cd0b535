"""The structure pane: rings, barriers and agents, and what was told of them by hand."""
