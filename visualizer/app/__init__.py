"""The window: commands, settings, themes, experiment panel."""
