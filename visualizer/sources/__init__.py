"""Where recordings come from, one folder a source."""
