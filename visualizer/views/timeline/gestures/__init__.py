"""What a hand does on the timeline: drag, zoom, measure, type a filter."""
