"""Work in threads, and the dialog that waits for it. Knows nothing of recordings in a window."""
