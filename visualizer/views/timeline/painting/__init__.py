"""Puts pictures made of data on the screen: batches of rectangles, pixel columns, labels, arrows."""
