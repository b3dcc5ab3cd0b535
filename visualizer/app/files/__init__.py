"""Recordings in and out: open, save, export, compare."""
