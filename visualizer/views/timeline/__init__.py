"""The timeline: lanes over time, from History to pixels, with its overview and gestures."""
