"""Recordings in other tools' formats: trace viewers, waveform viewers, tables, pictures, and a page to step through."""
