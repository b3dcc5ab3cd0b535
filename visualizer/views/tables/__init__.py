"""Tables: barriers, events and tiles, and the one widget that shows rows of cells."""
