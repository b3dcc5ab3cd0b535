"""The ring of stages, and the map of shared memory."""
