"""What the barriers are for: rings, stages, buffers and roles. Told by a program, inferred from events, or unknown."""
