"""One window's recording, from being read to its notes: what is shown, where the focus is, what was told."""
