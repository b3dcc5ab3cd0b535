"""A recording: the schema of its events, its tables, the Trace, and the file. It knows no ring, no GPU, no log."""
