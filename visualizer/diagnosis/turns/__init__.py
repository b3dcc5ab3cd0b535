"""What agents do cut into turns, and the one that is otherwise than the others."""
