"""What is wrong with phases: counts, bytes, waits that passed, operations that are undefined."""
