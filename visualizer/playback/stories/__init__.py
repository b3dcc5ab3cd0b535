"""Stories: a pipeline told step by step to a room, written in TOML. docs/stories.md is the reference.

model is what a story is, load and write are its file, recordings gives each chapter something to look at, find says
which event a step means, numbers fills the texts in, and check does all of it at once for `phasescope story check`.
"""
