"""What a person chose and the window remembers: theme, scale, language, workspaces."""
