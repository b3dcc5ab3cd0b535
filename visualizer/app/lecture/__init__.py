"""Lecture mode: a story on a stage for the room, with notes for the presenter.

lecture is the conductor, stage what the room sees, presenter_view what the lecturer sees, commands the remote's keys.
"""
