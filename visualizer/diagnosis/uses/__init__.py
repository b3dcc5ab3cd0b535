"""What agents did with stages: which phase a wait meant, uses, fills and reads."""
