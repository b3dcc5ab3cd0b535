"""Two recordings side by side, and what differs."""
