"""Why: sentences about a step, from History alone."""
