"""Predict: the time per tile that other stage counts, consumer delays or copy times would give, from one recording."""
