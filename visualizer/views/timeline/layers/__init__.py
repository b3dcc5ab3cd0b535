"""What lies on one another in the timeline: lanes with their frame, marks and values, and what follows the focus."""
