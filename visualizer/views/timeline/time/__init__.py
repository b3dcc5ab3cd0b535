"""Which stretch of time is in view: its scale, zooming and panning, what a hang opens at, the overview strip."""
