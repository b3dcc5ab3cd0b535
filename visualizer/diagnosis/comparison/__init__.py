"""Two recordings held against each other."""
