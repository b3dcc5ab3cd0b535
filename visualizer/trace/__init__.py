"""The recording: event schema, the immutable Trace, its file format, and the way from raw logs to ordered events."""
