"""Recordings out of other tools' files: a reader a format, behind one registry. docs/import.md is the reference."""
