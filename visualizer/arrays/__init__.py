"""Work on whole numpy columns that knows nothing of recordings: sorting by several of them, threads, memory."""
