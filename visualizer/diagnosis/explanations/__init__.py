"""The sentence that explains a step."""
