"""Making recordings: the experiment panel, and recording one's own kernel."""
