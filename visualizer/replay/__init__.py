"""History: the state of everything at any step, computed once, looked up by binary search."""
