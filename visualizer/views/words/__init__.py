"""What panes call things and how they count: the focus's surroundings, names, arrivals and bytes."""
