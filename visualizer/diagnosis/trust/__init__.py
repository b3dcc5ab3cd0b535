"""How far a recording is to be trusted."""
