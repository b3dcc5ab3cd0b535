"""The window's panes: made by name, kept in step with the focus, and kept answered."""
