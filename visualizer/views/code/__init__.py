"""The code pane: source with the lines where agents stand, in colours."""
